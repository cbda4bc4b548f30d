/** The tables that this browser keeps for the next visit, if the reader wants it. */

import type { FindingsClient, LiveTable } from "inspection-findings";
import { type KeepOptions, openStore } from "inspection-findings/keep";
import { byId, megabytes, textOf } from "./page.js";
import type { LoadRequest } from "./request-form.js";

export class Keeper {
  readonly #choice = byId<HTMLInputElement>("keep");
  readonly #store = openStore({ onError: (error) => this.#say(`The browser kept nothing: ${textOf(error)}`) });
  readonly #ready = this.#open();

  /** @param onChoice called when the reader turns it on */
  constructor(onChoice: () => void) {
    this.#choice.addEventListener("change", () => (this.#choice.checked ? onChoice() : this.#clear()));
  }

  /** Watches a table, which begins with what the browser has kept. */
  async watch(client: FindingsClient, request: LoadRequest, options: KeepOptions): Promise<LiveTable> {
    await this.#ready;
    const { inspectionKey, kind } = request;
    if (!this.#choice.checked) return client.watchTable(inspectionKey, kind, options);
    return this.#store.load(client, inspectionKey, kind, options);
  }

  /** Shows how much the browser keeps. */
  async showSize(): Promise<void> {
    if (!this.#choice.checked) return;
    const kept = await this.#store.list();
    const size = kept.reduce((sum, { size }) => sum + size, 0);
    if (size > 0) this.#say(megabytes(size));
    // The reader may have turned it off meanwhile.
    if (!this.#choice.checked) await this.#clear();
  }

  async #open(): Promise<void> {
    this.#choice.checked = (await this.#store.list()).length > 0;
  }

  async #clear(): Promise<void> {
    this.#say("");
    await this.#store.clear();
  }

  #say(text: string): void {
    byId("kept").textContent = text;
  }
}
