// The lock of a folder: a file that its owner touches every second. A number of a process could not tell who is alive,
// because processes of two containers that share a folder can have the same one.

import { randomUUID } from "node:crypto";
import { readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { errorCode, ifThere } from "./file-system.js";

/** How often the owner touches the lock, in milliseconds. */
const BEAT = 1000;

/** How long an owner may do without, until its lock is taken over. */
const PATIENCE = 5_000;

/** How often a lock of another owner is looked at. */
const GLANCE = 100;

export class FolderLock {
  readonly #path: string;
  readonly #name = randomUUID();
  #beats: NodeJS.Timeout | undefined;

  private constructor(path: string) {
    this.#path = path;
  }

  /**
   * Locks a folder.
   *
   * @param path of the lock in the folder
   * @returns the lock; undefined if another process has it
   */
  static async acquire(path: string, signal: AbortSignal): Promise<FolderLock | undefined> {
    const lock = new FolderLock(path);
    if (!(await lock.#create()) && !(await lock.#takeOver(signal))) return;
    lock.#beats = setInterval(() => lock.#touch().catch(() => {}), BEAT).unref();
    return lock;
  }

  /** Whether the lock is still there. Another process takes it over from one that was suspended for a while. */
  async isHeld(): Promise<boolean> {
    const name = await ifThere(readFile(this.#path, "utf8"));
    return name === this.#name;
  }

  async release(): Promise<void> {
    clearInterval(this.#beats);
    if (await this.isHeld()) await rm(this.#path, { force: true });
  }

  async #create(): Promise<boolean> {
    try {
      await writeFile(this.#path, this.#name, { flag: "wx" });
      return true;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    }
  }

  /** Takes over a lock that nobody touches. If two processes do so at the same time, the later one has it. */
  async #takeOver(signal: AbortSignal): Promise<boolean> {
    const before = await this.#lastTouch();
    for (let waited = 0; waited < PATIENCE; waited += GLANCE) {
      await pause(GLANCE);
      signal.throwIfAborted();
      if ((await this.#lastTouch()) !== before) return false;
    }
    const own = `${this.#path}.${this.#name}`;
    await writeFile(own, this.#name);
    await rename(own, this.#path);
    await pause(BEAT);
    return this.isHeld();
  }

  async #lastTouch(): Promise<number | undefined> {
    return (await ifThere(stat(this.#path)))?.mtimeMs;
  }

  async #touch(): Promise<void> {
    const now = new Date();
    if (await this.isHeld()) await utimes(this.#path, now, now);
  }
}
