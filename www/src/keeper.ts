/** The tables that this browser keeps for the next visit, in its cache storage, if the reader wants it. */

import { FindingsError, FindingsTable } from "inspection-findings";
import { byId, megabytes, textOf } from "./page.js";

const name = "inspection-findings: kept tables";

export class Keeper {
  readonly #choice = byId<HTMLInputElement>("keep");
  /** Browsers have cache storage in secure contexts only. */
  readonly #isPossible = "caches" in globalThis;
  readonly #ready = this.#open();

  /** @param onChoice called when the reader turns it on */
  constructor(onChoice: () => void) {
    byId("keeping").hidden = !this.#isPossible;
    this.#choice.addEventListener("change", () => (this.#choice.checked ? onChoice() : this.#clear()));
  }

  async #open(): Promise<void> {
    this.#choice.checked = this.#isPossible && (await caches.has(name).catch(() => false));
  }

  /** Opens the table of a subject; undefined if there is none that this version of the package can read. */
  async read(subject: string): Promise<FindingsTable | undefined> {
    await this.#ready;
    if (!this.#choice.checked) return undefined;
    const response = await (await caches.open(name)).match(urlOf(subject));
    const bytes = await response?.arrayBuffer();
    if (bytes === undefined) return undefined;
    return FindingsTable.fromBytes(bytes).catch((error) => {
      if (error instanceof FindingsError && error.code === "bytes") return undefined;
      throw error;
    });
  }

  /** Keeps the table of a subject, if the reader wants it. */
  async write(subject: string, table: FindingsTable): Promise<void> {
    if (!this.#choice.checked) return;
    const bytes = table.toBytes();
    try {
      await (await caches.open(name)).put(urlOf(subject), new Response(bytes));
      byId("kept").textContent = megabytes(bytes.length);
    } catch (error) {
      byId("kept").textContent = `The browser kept nothing: ${textOf(error)}`;
    }
    // The reader may have turned it off meanwhile.
    if (!this.#choice.checked) await this.#clear();
  }

  async #clear(): Promise<void> {
    byId("kept").textContent = "";
    await caches.delete(name);
  }
}

/** A URL that nobody requests. */
function urlOf(subject: string): string {
  return new URL(`kept/${encodeURIComponent(subject)}`, document.baseURI).href;
}
