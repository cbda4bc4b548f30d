// The folder of an export that is not finished: each partition that has arrived, as a saved table.

import { createHash, randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import { FindingsError, FindingsTable } from "../entries/inline.js";
import { ifThere, unless } from "./file-system.js";
import type { Partition } from "./format.js";

/** The files that exports make, also under their names in the course of writing. */
const OWN = /^(?:output|[\da-f]{16}-\d+\.table)(?:\.[\da-f-]{36})?$/;

/** The file of a saved partition: the hash of what is exported, and the index. So two exports never take a partition of each other. */
const SAVED = /^[\da-f]{16}-\d+\.table$/;

/** The ending of a file in the course of writing. */
const TEMPORARY = /\.[\da-f-]{36}$/;

export class WorkFolder {
  readonly path: string;
  /** The indexes of the saved partitions. */
  readonly saved = new Set<number>();
  #hash = "";

  private constructor(path: string) {
    this.path = path;
  }

  /** Opens the folder of an export, and creates it if necessary. */
  static async open(path: string): Promise<WorkFolder> {
    await mkdir(path, { mode: 0o700 }).catch(unless("EEXIST"));
    const folder = await lstat(path);
    const user = process.getuid?.();
    // Windows has neither.
    const isOwn = user === undefined || (folder.uid === user && (folder.mode & 0o022) === 0);
    if (!isOwn || !folder.isDirectory()) {
      throw new Error(`${path} is no folder that only you can write. Delete or rename it, or export to another file.`);
    }
    const names = await readdir(path);
    if (names.length > 0 && !names.some((name) => OWN.test(name))) {
      throw new Error(`${path} has files that no export has written. Rename the folder, or export to another file.`);
    }
    return new WorkFolder(path);
  }

  /**
   * Begins an export, or continues it.
   *
   * @param about what is exported; a folder with partitions of something else is an error
   */
  async begin(about: object): Promise<void> {
    this.#hash = createHash("sha256").update(JSON.stringify(about)).digest("hex").slice(0, 16);
    const names = await readdir(this.path);
    await this.#delete(names.filter((name) => OWN.test(name) && TEMPORARY.test(name)));
    const saved = names.filter((name) => SAVED.test(name));
    const other = saved.find((name) => !name.startsWith(this.#hash));
    if (other !== undefined) {
      throw new Error(
        `${join(this.path, other)} is a partition of another export, or of the inspection before it was re-analysed. Delete the folder to begin again.`,
      );
    }
    for (const name of saved) this.saved.add(Number(name.split(/[-.]/)[1]));
  }

  /** Saves a partition. */
  async save({ index, table }: Partition): Promise<void> {
    const file = this.#fileOf(index);
    const temporary = `${file}.${randomUUID()}`;
    try {
      await writeFile(temporary, table.toBytes());
      // It is complete as soon as it exists.
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    this.saved.add(index);
  }

  /** Opens a saved partition. A damaged one is deleted. */
  async openPartition(index: number): Promise<Partition> {
    const file = this.#fileOf(index);
    try {
      return { index, table: await FindingsTable.fromBytes<object>(await readFile(file)) };
    } catch (error) {
      if (!(error instanceof FindingsError && error.code === "bytes")) throw error;
      await this.#delete([basename(file)]);
      throw new Error(`${file} was damaged, and has been deleted. Run the command again to fetch it again.`);
    }
  }

  /** A path for the file in the course of writing. */
  temporary(): string {
    return join(this.path, `output.${randomUUID()}`);
  }

  /** Deletes the folder if it has no partitions. */
  async close(): Promise<void> {
    const names = (await ifThere(readdir(this.path))) ?? [];
    if (!names.some((name) => SAVED.test(name))) await this.remove();
  }

  /** Deletes the folder and all that exports have written into it. */
  async remove(): Promise<void> {
    const names = (await ifThere(readdir(this.path))) ?? [];
    await this.#delete(names.filter((name) => OWN.test(name)));
    // Somebody may have put other files there.
    await rmdir(this.path).catch(unless("ENOTEMPTY", "EEXIST", "ENOENT"));
  }

  async #delete(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(this.path, name), { force: true });
  }

  #fileOf(index: number): string {
    return join(this.path, `${this.#hash}-${index}.table`);
  }
}
