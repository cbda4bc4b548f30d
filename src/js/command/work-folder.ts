// The folder of an export that is not finished: each partition that has arrived, as a saved table.

import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { lstat, mkdir, open, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import { FindingsError, FindingsTable } from "../entries/inline.js";
import { ifThere, unless } from "./file-system.js";
import type { Partition } from "./format.js";

/** The files that an export makes, also under their names in the course of writing. */
const OWN = /^(?:output|\d+\.table)(?:\.[\da-f-]{36})?$/;

/** The file of a saved partition. */
const SAVED = /^\d+\.table$/;

/** The ending of a file in the course of writing. */
const TEMPORARY = /\.[\da-f-]{36}$/;

/** The most bytes of the line that says what a saved partition is of. */
const LINE = 8192;

/** The last byte of that line. */
const LINE_FEED = 10;

export class WorkFolder {
  readonly path: string;
  /** The indexes of the saved partitions. */
  readonly saved = new Set<number>();
  #about = {};

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
    this.#about = about;
    const names = await readdir(this.path);
    await this.#delete(names.filter((name) => OWN.test(name) && TEMPORARY.test(name)));
    for (const name of names.filter((name) => SAVED.test(name))) {
      const index = Number.parseInt(name, 10);
      const path = join(this.path, name);
      const line = await firstLineOf(path);
      if (line === this.#lineOf(index)) this.saved.add(index);
      else if (line === undefined) await this.#delete([name]);
      else {
        throw new Error(
          `${path} is a partition of another export: ${line}, and this export is for ${this.#lineOf(index)}; different counts mean that the ` +
            "inspection was re-analysed. Delete the folder to begin again.",
        );
      }
    }
  }

  /** Saves a partition. */
  async save({ index, table }: Partition): Promise<void> {
    await this.#replace(this.#fileOf(index), Buffer.concat([Buffer.from(`${this.#lineOf(index)}\n`), table.toBytes()]));
    this.saved.add(index);
  }

  /** Opens a saved partition. A damaged one is deleted. */
  async openPartition(index: number): Promise<Partition> {
    const file = this.#fileOf(index);
    const bytes = await readFile(file);
    try {
      return { index, table: await FindingsTable.fromBytes<object>(bytes.subarray(bytes.indexOf(LINE_FEED) + 1)) };
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

  /** What the file of a partition says about itself. */
  #lineOf(index: number): string {
    return JSON.stringify({ ...this.#about, partition: index });
  }

  #fileOf(index: number): string {
    return join(this.path, `${index}.table`);
  }

  /** Writes a file under another name, and renames it, so that it is complete as soon as it exists. */
  async #replace(path: string, content: string | Uint8Array): Promise<void> {
    const temporary = `${path}.${randomUUID()}`;
    try {
      await writeFile(temporary, content);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}

/** The first line of a saved partition; undefined if it has none. */
async function firstLineOf(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LINE), 0, LINE, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(LINE_FEED);
    return end < 0 ? undefined : buffer.toString("utf8", 0, end);
  } finally {
    await file.close();
  }
}
