/** The filter bar: search, order, the number of matching findings, and a chip for each filter, which removes it. */

import type { Scalar } from "inspection-findings";
import { makeButton } from "../page/button.js";
import { byId, make } from "../page/element.js";
import { number } from "../page/format.js";
import type { Analysis } from "./analysis.js";
import { type Dimension, labelOf } from "./dimension.js";
import type { Order, Selection } from "./selection.js";

interface Events {
  search: (text: string) => void;
  order: (order: Order | undefined) => void;
  toggle: (dimension: Dimension, value: Scalar) => void;
  clear: () => void;
}

export class FilterBar {
  #search = byId<HTMLInputElement>("search");
  #order = byId<HTMLSelectElement>("order");
  #count = byId("count");
  #chips = byId("filters");
  #events: Events;
  #orders: { label: string; order: Order | undefined }[] = [];

  constructor(events: Events) {
    this.#events = events;
    this.#search.addEventListener("input", () => events.search(this.#search.value));
    this.#order.addEventListener("change", () => events.order(this.#orders[this.#order.selectedIndex]?.order));
  }

  /** Shows what other findings can be searched for and ordered by. */
  begin({ dimensions, canSearch }: Analysis, selection: Selection): void {
    this.#search.value = selection.search;
    this.#search.disabled = !canSearch;
    this.#orders = [{ label: "Original order", order: undefined }, ...dimensions.flatMap(ordersOf)];
    this.#order.replaceChildren(...this.#orders.map(({ label }) => make("option", {}, label)));
    const chosen = JSON.stringify(selection.order);
    this.#order.selectedIndex = this.#orders.findIndex(({ order }) => JSON.stringify(order) === chosen);
  }

  show(selection: Selection, dimensions: readonly Dimension[], count: number, of: number, milliseconds: number): void {
    this.showCount(count, of, milliseconds);
    if (this.#search.value !== selection.search) {
      this.#search.value = selection.search;
    }
    this.#showChips(selection, dimensions);
  }

  /** Shows the number of matching findings. The chips stay, and with them the keyboard focus. */
  showCount(count: number, of: number, milliseconds: number): void {
    this.#count.replaceChildren(
      make("strong", {}, number(count)),
      ` of ${number(of)} findings`,
      make("span", { class: "took" }, ` · ${milliseconds.toFixed(1)} ms`),
    );
  }

  #showChips(selection: Selection, dimensions: readonly Dimension[]): void {
    const chips = dimensions.flatMap((dimension) =>
      [...selection.chosen(dimension.name)].map((value) =>
        this.#chip(dimension.title, labelOf(dimension, value), () => this.#events.toggle(dimension, value)),
      ),
    );
    if (selection.search !== "") {
      chips.unshift(this.#chip("Comment", `“${selection.search}”`, () => this.#events.search("")));
    }
    if (chips.length === 0) {
      this.#chips.replaceChildren(make("li", { class: "no-filter" }, "Choose a bar to filter by it."));
      return;
    }
    const clear = makeButton("quiet", "Clear all", () => this.#removeChip(this.#events.clear));
    this.#chips.replaceChildren(...chips, make("li", {}, clear));
  }

  #chip(title: string, label: string, remove: () => void): HTMLElement {
    const button = make(
      "button",
      { type: "button", class: "filter" },
      make("span", { class: "unseen" }, "Remove the filter "),
      make("span", { class: "filter-title" }, `${title} `),
      make("span", { class: "filter-value", dir: "auto" }, label),
      make("span", { class: "filter-remove", "aria-hidden": "true" }, "×"),
    );
    button.addEventListener("click", () => this.#removeChip(remove));
    return make("li", {}, button);
  }

  /** Runs the action of a chip, which removes the chip, and moves the focus to the next one, or to the search. */
  #removeChip(action: () => void): void {
    const position = [...this.#chips.querySelectorAll("button")].indexOf(document.activeElement as HTMLButtonElement);
    action();
    const rest = this.#chips.querySelectorAll("button");
    (rest[Math.min(Math.max(position, 0), rest.length - 1)] ?? this.#search).focus();
  }
}

function ordersOf(dimension: Dimension): { label: string; order: Order }[] {
  const { column, name, title } = dimension;
  return name === "sentiment"
    ? [
        { label: "Worst first", order: { column, direction: "asc" } },
        { label: "Best first", order: { column, direction: "desc" } },
      ]
    : [{ label: `${title}, A to Z`, order: { column, direction: "asc" } }];
}
