// The file that an export creates or replaces.

import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ifThere, unless } from "./file-system.js";

/** The errors of file systems that cannot say when a file has reached the disk, such as some of networks. */
const UNSUPPORTED = ["EINVAL", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"];

export class TargetFile {
  /** Its path: where symbolic links lead to. */
  readonly path: string;
  /** Whether there is a file, which would be replaced. */
  readonly isThere: boolean;

  private constructor(path: string, isThere: boolean) {
    this.path = path;
    this.isThere = isThere;
  }

  /** Finds the file of a path, and rejects if it cannot be one. */
  static async at(path: string): Promise<TargetFile> {
    const folder = dirname(resolve(path));
    if (!(await ifThere(stat(folder)))?.isDirectory()) throw new Error(`there is no folder ${folder}`);
    const behind = (await ifThere(realpath(path))) ?? join(await realpath(folder), basename(path));
    const previous = await ifThere(stat(behind));
    if (previous?.isDirectory()) throw new Error(`${path} is a folder: name a file in it`);
    if (previous?.isFile() === false) throw new Error(`${path} is no regular file, so it cannot be replaced`);
    return new TargetFile(behind, previous !== undefined);
  }

  /**
   * Creates or replaces the file once it is complete. It keeps the mode and, as far as the system permits, the owner of
   * the file that it replaces.
   *
   * @param temporary the path of the file in the course of writing, which is deleted if that fails
   */
  async write(temporary: string, content: (file: FileHandle) => Promise<void>): Promise<void> {
    const previous = await ifThere(stat(this.path));
    const file = await open(temporary, "wx", previous?.mode);
    try {
      try {
        await content(file);
        if (previous !== undefined) {
          const { uid, gid, mode } = previous;
          const own = await file.stat();
          if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid).catch(() => {});
          if (own.mode !== mode) await file.chmod(mode & 0o777);
        }
        await file.sync().catch(unless(...UNSUPPORTED));
      } finally {
        await file.close();
      }
      await rename(temporary, this.path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}
