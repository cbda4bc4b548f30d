/** The explorer: charts, search, filters and a list over one table, which may grow. They share one selection. */

import type { Condition, FindingsTable, Scalar } from "inspection-findings";
import { Chart, type Group } from "./chart.js";
import { type Dimension, dimensionsOf, labelOf } from "./dimension.js";
import { Download } from "./download.js";
import { FindingDialog } from "./finding-dialog.js";
import { FindingsList } from "./findings-list.js";
import { announce, byId, duration, make, number, onPress } from "./page.js";

/** Whether the charts are above each other, as in the style sheet. */
const narrow = matchMedia("(max-width: 620px)");

export class Explorer {
  readonly #charts = new Map<Dimension, Chart>();
  readonly #chosen = new Map<Dimension, Set<Scalar>>();
  readonly #search = byId<HTMLInputElement>("search");
  readonly #order = byId<HTMLSelectElement>("order");
  readonly #unit = byId<HTMLSelectElement>("unit");
  readonly #list = new FindingsList((index) => this.#open(index));
  readonly #download = new Download(() => this.#view);
  readonly #dialog = new FindingDialog((index) => this.#list.moveTo(index));
  #dimensions: Dimension[] = [];
  #table: FindingsTable | undefined;
  #view: FindingsTable | undefined;
  #share = 1;

  constructor() {
    this.#search.addEventListener("input", () => this.#ask());
    this.#order.addEventListener("change", () => this.#ask());
    narrow.addEventListener("change", () => this.#placeList());
    this.#unit.addEventListener("change", () => this.#ask());
  }

  /** Shows a table, of whose partitions a share has arrived, and owns it. A later snapshot replaces it, and the selection stays. */
  show(table: FindingsTable, share: number): void {
    const earlier = this.#table;
    this.#table = table;
    this.#share = share;
    byId("explorer").hidden = false;
    this.#showDimensions(dimensionsOf(table));
    this.#query();
    if (earlier !== table) earlier?.free();
  }

  /** Ends the table and the selection. */
  close(): void {
    byId("explorer").hidden = true;
    this.#dialog.close();
    this.#download.cancel();
    this.#list.show(undefined, "sentiment");
    this.#showDimensions([]);
    this.#search.value = "";
    this.#order.value = "";
    this.#unit.value = "findings";
    if (this.#view !== this.#table) this.#view?.free();
    this.#table?.free();
    this.#table = undefined;
    this.#view = undefined;
  }

  #showDimensions(dimensions: Dimension[]): void {
    if (dimensions.map(({ column }) => column).join() === this.#dimensions.map(({ column }) => column).join()) return;
    for (const chart of this.#charts.values()) chart.element.remove();
    this.#charts.clear();
    this.#chosen.clear();
    this.#dimensions = dimensions;
    for (const dimension of dimensions) {
      this.#chosen.set(dimension, new Set());
      const chart = new Chart(dimension, (value) => this.#toggle(dimension, value));
      this.#charts.set(dimension, chart);
      byId(dimension.isText ? "charts-of-texts" : "charts-of-groups").append(chart.element);
    }
    const [first] = this.#charts.values();
    if (this.#hasSentiment) first?.showLegend();
    this.#order.hidden = !this.#hasSentiment;
    this.#placeList();
  }

  /** Places the list after all charts, or in a narrow page after the second one. */
  #placeList(): void {
    const [, second] = this.#charts.values();
    if (narrow.matches && second !== undefined) second.element.after(byId("list"));
    else byId("explorer").append(byId("list"));
  }

  get #hasSentiment(): boolean {
    return this.#dimensions.some(({ column }) => column === "Sentiment");
  }

  #toggle(dimension: Dimension, value: Scalar): void {
    const chosen = this.#chosenOf(dimension);
    if (!chosen.delete(value)) chosen.add(value);
    this.#ask();
  }

  /** Answers what the reader has selected, and announces the number of findings. */
  #ask(): void {
    if (this.#table === undefined) return;
    this.#query();
    announce(`${number(this.#view?.length ?? 0)} of ${number(this.#table.length)} findings`, 400);
  }

  /** Queries what is selected, and shows the result and its milliseconds. */
  #query(): void {
    const table = this.#table as FindingsTable;
    const before = this.#view;
    const begun = performance.now();
    const filtered = filter(table, this.#conditions());
    const groups = this.#dimensions.map((dimension) => {
      // Without the filter by this dimension, so that its other values stay visible.
      const counted = this.#chosenOf(dimension).size === 0 ? filtered : filter(table, this.#conditions(dimension));
      const groups = this.#groups(counted, dimension);
      if (counted !== filtered && counted !== table) counted.free();
      return groups;
    });
    const direction = this.#order.value as "asc" | "desc" | "";
    this.#view = direction === "" || !this.#hasSentiment ? filtered : filtered.sortBy("Sentiment", direction);
    const took = performance.now() - begun;
    this.#dimensions.forEach((dimension, at) => {
      this.#charts.get(dimension)?.hold(this.#view?.length === 0);
      this.#charts.get(dimension)?.show(groups[at] ?? [], this.#chosenOf(dimension), this.#share, this.#unit.value);
    });
    // The first drawing is the longest one, so the rows have a task of their own.
    if (before === undefined) setTimeout(() => this.#showList());
    else this.#showList();
    this.#dialog.update(this.#view);
    for (const view of new Set([before, filtered])) {
      if (view !== undefined && view !== this.#view && view !== table) view.free();
    }
    this.#showAnswer(took);
  }

  #showList(): void {
    this.#list.show(this.#view, this.#hasSentiment ? "sentiment" : "topics");
  }

  #chosenOf(dimension: Dimension): Set<Scalar> {
    return this.#chosen.get(dimension) as Set<Scalar>;
  }

  #conditions(except?: Dimension): Record<string, Condition> {
    const conditions: Record<string, Condition> = {};
    if (this.#search.value !== "") conditions.Comment = { contains: this.#search.value };
    for (const [dimension, chosen] of this.#chosen) {
      if (dimension !== except && chosen.size > 0) conditions[dimension.column] = [...chosen];
    }
    return conditions;
  }

  #groups(findings: FindingsTable, dimension: Dimension): Group[] {
    const { column, scale = [], isTime } = dimension;
    const groups = new Map<Scalar, Group>();
    // Of a time without findings, the place stays.
    const times = isTime ? this.#table?.countBy(column).map(({ key }) => key[0] as Scalar) : undefined;
    for (const value of [...scale, ...(times ?? []), ...this.#chosenOf(dimension)]) {
      groups.set(value, { value, count: 0, bySentiment: new Map() });
    }
    if (this.#unit.value === "people") {
      for (const { key, distinct } of findings.countBy(column, { distinct: "RespondentKey" })) {
        const value = key[0] as Scalar;
        groups.set(value, { value, count: distinct, bySentiment: new Map() });
      }
      return [...groups.values()];
    }
    const by = this.#hasSentiment && column !== "Sentiment" ? [column, "Sentiment"] : [column];
    for (const { key, count } of findings.countBy(...by)) {
      const value = key[0] as Scalar;
      const group = groups.get(value) ?? { value, count: 0, bySentiment: new Map() };
      group.count += count;
      if (this.#hasSentiment) group.bySentiment.set(key.at(-1), count);
      groups.set(value, group);
    }
    return [...groups.values()];
  }

  #showAnswer(took: number): void {
    const { length } = this.#view as FindingsTable;
    byId("took").textContent = duration(took);
    byId("count").textContent = `${number(length)} of ${number(this.#table?.length ?? 0)} findings`;
    byId("rows").hidden = length === 0;
    byId("none").hidden = length > 0;
    const chips = [...this.#chosen].flatMap(([dimension, chosen]) =>
      [...chosen].map((value) => this.#chip(dimension, value)),
    );
    byId("filters").replaceChildren(...chips);
  }

  #chip(dimension: Dimension, value: Scalar): HTMLElement {
    const label = labelOf(dimension, value);
    const button = make("button", { type: "button", class: "filter" }, make("bdi", {}, label), " ×");
    button.setAttribute("aria-label", `Remove the filter ${dimension.title}: ${label}`);
    onPress(button, () => {
      this.#toggle(dimension, value);
      (byId("filters").querySelector("button") ?? this.#search).focus();
    });
    return make("li", {}, button);
  }

  #open(index: number): void {
    if (this.#view !== undefined) this.#dialog.open(this.#view, index);
  }
}

function filter(table: FindingsTable, conditions: Record<string, Condition>): FindingsTable {
  return Object.keys(conditions).length === 0 ? table : table.filter(conditions);
}
