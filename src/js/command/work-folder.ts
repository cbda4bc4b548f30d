// The folder of an export that is not finished: each partition that has arrived, as a saved table.

import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { FindingsError, FindingsTable } from "../entries/inline.js";
import { errorCode, unless } from "./file-system.js";
import { FolderLock } from "./folder-lock.js";
import type { Partition } from "./format.js";

/** The file that one process at a time has made. */
const LOCK = "lock";

/** The files that an export makes, also under their names in the course of writing. */
const OWN = /^(?:lock|output|\d+\.table)(?:\.[\da-f-]{36})?$/;

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
  readonly #lock: FolderLock;
  /** The files that were there before this process had the lock. Nobody who takes it over writes one of their names. */
  readonly #before: readonly string[];
  #about = {};

  private constructor(path: string, lock: FolderLock, before: readonly string[]) {
    this.path = path;
    this.#lock = lock;
    this.#before = before;
  }

  /** Opens the folder of an export, and creates it if necessary. No other process can open it until it is closed. */
  static async open(path: string, signal: AbortSignal): Promise<WorkFolder> {
    for (;;) {
      await mkdir(path, { mode: 0o700 }).catch(unless("EEXIST"));
      try {
        const names = await readdir(path);
        if (names.length > 0 && !names.some((name) => OWN.test(name))) {
          throw new Error(
            `${path} has files that no export has written. Rename the folder, or export to another file.`,
          );
        }
        const lock = await FolderLock.acquire(join(path, LOCK), signal);
        if (lock === undefined) throw new Error(`another export to this file is running: it uses the folder ${path}`);
        return new WorkFolder(path, lock, names);
      } catch (error) {
        // The export that had the folder has just ended, and removed it.
        if (errorCode(error) !== "ENOENT") throw error;
      }
    }
  }

  /**
   * Begins an export, or continues it.
   *
   * @param about what is exported; a folder with partitions of something else is an error
   */
  async begin(about: object): Promise<void> {
    this.#about = about;
    await this.check();
    await this.#delete(this.#before.filter((name) => OWN.test(name) && TEMPORARY.test(name)));
    const names = await readdir(this.path);
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
      await this.check();
      await this.#delete([basename(file)]);
      throw new Error(`${file} was damaged, and has been deleted. Run the command again to fetch it again.`);
    }
  }

  /** A path for the file in the course of writing. */
  temporary(): string {
    return join(this.path, `output.${randomUUID()}`);
  }

  /** Rejects if another process has taken over the folder. */
  async check(): Promise<void> {
    if (await this.#lock.isHeld()) return;
    throw new Error(`this export has lost its folder ${this.path}: it was deleted, or another export continues there`);
  }

  /** Lets the next export open the folder. A folder without partitions is deleted. */
  async close(): Promise<void> {
    if (!(await this.#lock.isHeld())) return;
    const isEmpty = !(await readdir(this.path)).some((name) => SAVED.test(name));
    if (isEmpty) await this.remove();
    else await this.#lock.release();
  }

  /** Deletes the folder and all that exports have written into it. */
  async remove(): Promise<void> {
    if (!(await this.#lock.isHeld())) return;
    await this.#delete((await readdir(this.path)).filter((name) => OWN.test(name) && name !== LOCK));
    if (!(await this.#lock.isHeld())) return;
    await this.#lock.release();
    // Somebody may have put other files there, or the next export may have begun.
    await rmdir(this.path).catch(unless("ENOTEMPTY", "EEXIST", "ENOENT"));
  }

  /** Deletes files of the folder as long as no other process has taken it over. */
  async #delete(names: readonly string[]): Promise<void> {
    for (const name of names) if (await this.#lock.isHeld()) await rm(join(this.path, name), { force: true });
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
      await this.check();
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
