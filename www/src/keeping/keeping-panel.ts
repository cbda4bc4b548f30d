/** The choice whether this browser keeps what was loaded, with the size of it and a way to delete it. */

import type { FindingsTable } from "inspection-findings";
import { makeButton } from "../page/button.js";
import { make } from "../page/element.js";
import { counted, size } from "../page/format.js";
import { messageOf } from "../page/message.js";
import { Keeper } from "./keeper.js";

/** A table, and what was loaded from which service. */
interface Shown {
  subject: string;
  table: FindingsTable;
}

export class KeepingPanel {
  readonly element: HTMLElement;
  #keeper = new Keeper();
  #choice = make("input", { type: "checkbox", id: "keep" });
  #state = make("output", { class: "keeping-state" });
  #delete = makeButton("outlined", "Delete", () => this.#report(this.#keeper.clear()));
  #shown: Shown | undefined;

  constructor() {
    this.#choice.checked = this.#keeper.isOn;
    this.#choice.addEventListener("change", () => this.#choose());
    const label = make("label", { for: "keep" }, "Keep in this browser");
    this.element = make("div", { class: "keeping" }, this.#choice, label, this.#delete, this.#state);
    this.#refresh();
  }

  /** Opens the kept table of a subject, if there is one. */
  open(subject: string): Promise<FindingsTable | undefined> {
    return this.#keeper.open(subject);
  }

  /** Keeps what is shown from now on, if the reader wants it; `isNew` says whether it differs from the kept table. */
  show(shown: Shown, isNew: boolean): void {
    this.#shown = shown;
    if (this.#keeper.isOn && isNew) {
      this.#report(this.#keeper.keep(shown.subject, shown.table));
    }
  }

  /** Keeps nothing until there is something complete to show. */
  clear(): void {
    this.#shown = undefined;
  }

  async #choose(): Promise<void> {
    await this.#report(this.#keeper.turn(this.#choice.checked));
    if (this.#shown !== undefined) {
      this.show(this.#shown, true);
    }
  }

  async #report(work: Promise<void>): Promise<void> {
    try {
      await work;
      this.#refresh();
    } catch (error) {
      this.#refresh(`This browser keeps nothing. ${messageOf(error)}`);
    }
  }

  #refresh(message?: string): void {
    const { isOn, tables, bytes } = this.#keeper;
    this.#delete.setAttribute("aria-disabled", String(tables === 0));
    const kept = tables === 0 ? "Nothing kept." : `${counted(tables, "table")}, ${size(bytes)}.`;
    this.#state.textContent = message ?? (isOn ? `${kept} The next visit requests only what is missing.` : kept);
  }
}
