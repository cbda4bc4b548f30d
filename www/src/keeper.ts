/** The tables that this browser keeps for the next visit, if the reader wants it. */

import { type FindingsStore, openStore } from "inspection-findings/keep";
import { byId, megabytes, textOf } from "./page.js";

/** The name under which the browser remembers the choice. */
const choiceName = "keep";

export class Keeper {
  readonly #choice = byId<HTMLInputElement>("keep");
  readonly #store = openStore({ onError: (error) => this.#say(`The browser kept nothing: ${textOf(error)}`) });

  /** @param load loads again, because only what a store loads is kept */
  constructor(load: () => void) {
    this.#choice.checked = remembered()?.getItem(choiceName) === "yes";
    this.#choice.addEventListener("change", () => {
      if (!this.#choice.checked) return void this.#clear();
      remembered()?.setItem(choiceName, "yes");
      this.#say("Loading again, to keep the findings …");
      load();
    });
  }

  /** The store, if the reader wants it. */
  get store(): FindingsStore | undefined {
    return this.#choice.checked ? this.#store : undefined;
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

  async #clear(): Promise<void> {
    remembered()?.removeItem(choiceName);
    this.#say("");
    await this.#store.clear();
  }

  #say(text: string): void {
    byId("kept").textContent = text;
  }
}

/** The storage of the choice; undefined where the browser refuses it. */
function remembered(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
