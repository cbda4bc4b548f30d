// The folder of an export that is not finished: each partition that has arrived, as a saved table.

import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { FindingsError, FindingsTable } from "../entries/inline.js";

/** The file that says what is exported. */
const ABOUT = "export.json";

/** The ending of saved partitions. */
const ENDING = ".table";

export class WorkFolder {
  readonly path: string;
  /** The indexes of the saved partitions. */
  readonly saved: Set<number>;

  private constructor(path: string, saved: Set<number>) {
    this.path = path;
    this.saved = saved;
  }

  /**
   * Opens the folder of an export, and creates it if necessary.
   *
   * @param about what is exported; a folder with partitions of something else is an error
   */
  static async open(path: string, about: object): Promise<WorkFolder> {
    await mkdir(path, { recursive: true });
    const names = await readdir(path);
    const now = JSON.stringify(about);
    if (!names.includes(ABOUT)) await replace(join(path, ABOUT), now);
    const before = await readFile(join(path, ABOUT), "utf8");
    if (before !== now) {
      throw new Error(
        `${path} has partitions of another export. It was begun for ${before}, and this export is for ${now}; different ` +
          "counts mean that the inspection was re-analysed. Delete the folder to begin again.",
      );
    }
    const saved = names.filter((name) => name.endsWith(ENDING)).map((name) => Number.parseInt(name, 10));
    return new WorkFolder(path, new Set(saved));
  }

  /** Saves a partition. */
  async save(index: number, table: FindingsTable<object>): Promise<void> {
    await replace(this.#fileOf(index), table.toBytes());
    this.saved.add(index);
  }

  /** Opens a saved partition. A damaged one is deleted. */
  async open(index: number): Promise<FindingsTable<object>> {
    const file = this.#fileOf(index);
    try {
      return await FindingsTable.fromBytes<object>(await readFile(file));
    } catch (error) {
      if (!(error instanceof FindingsError) || error.code !== "bytes") throw error;
      await rm(file, { force: true });
      throw new Error(`${file} was damaged, and has been deleted. Run the command again to fetch it again.`);
    }
  }

  /** Deletes the folder with all that it has. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  #fileOf(index: number): string {
    return join(this.path, `${index}${ENDING}`);
  }
}

/** Writes a file under another name, and renames it, so that it is complete as soon as it exists. */
async function replace(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, content);
  await rename(temporary, path);
}
