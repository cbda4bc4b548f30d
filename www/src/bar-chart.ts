/** A bar chart of one dimension: a table that Charts.css draws as bars, and that can also be shown as a table. */

import type { Scalar } from "inspection-findings";
import type { Group } from "./analysis.js";
import { makeButton } from "./button.js";
import { type Dimension, isAbsent, labelOf } from "./dimension.js";
import { make } from "./element.js";
import { number } from "./format.js";
import { sentiments, sentimentWord } from "./sentiment.js";

/** The most values in a chart. */
const maxValues = 30;

/** The parts of a bar, from left to right. The last part has all unknown sentiments. */
const parts = [...sentiments.toReversed(), "other"];

const asChart = "charts-css bar multiple stacked show-labels";

interface Row {
  element: HTMLTableRowElement;
  button: HTMLButtonElement;
  total: HTMLTableCellElement;
  bars: HTMLTableCellElement[];
  value: Scalar;
}

export class BarChart {
  readonly element: HTMLElement;
  readonly dimension: Dimension;
  #hasSentiment: boolean;
  #toggle: (value: Scalar) => void;
  #table = make("table", { role: "table", class: asChart });
  #body = make("tbody", { role: "rowgroup" });
  #rest = make("p", { class: "chart-rest" });
  #rows: Row[] = [];

  constructor(dimension: Dimension, hasSentiment: boolean, toggle: (value: Scalar) => void) {
    this.dimension = dimension;
    this.#hasSentiment = hasSentiment;
    this.#toggle = toggle;
    const id = `chart-${dimension.name}`;
    const asTable = makeButton("quiet", "Table", () => this.#showAs(asTable));
    asTable.setAttribute("aria-pressed", "false");
    asTable.setAttribute("aria-label", `${dimension.title} as a table`);
    const caption = make("caption", {}, `${dimension.title}: number of findings`);
    this.#table.append(caption, this.#head(), this.#body);
    this.element = make(
      "section",
      { class: "chart card", "aria-labelledby": id, "data-dimension": dimension.name },
      make("header", {}, make("h3", { id }, dimension.title), asTable),
      make("div", { class: "chart-room" }, this.#table, this.#rest),
    );
  }

  /** Shows groups of findings, and marks the selected ones. The group without a value has a number but no bar. */
  show(groups: readonly Group[], chosen: ReadonlySet<Scalar>): void {
    const ordered = this.#inOrder(groups);
    const shown = ordered.filter(
      (group, position) => position < maxValues || this.#isNone(group) || chosen.has(group.value),
    );
    const largest = Math.max(1, ...shown.filter((group) => !this.#isNone(group)).map(({ count }) => count));
    while (this.#rows.length > shown.length) {
      this.#rows.pop()?.element.remove();
    }
    shown.forEach((group, index) => {
      this.#rows[index] ??= this.#newRow();
      this.#fill(this.#rows[index], group, largest, chosen);
    });
    const rest = ordered.length - shown.length;
    this.#table.hidden = shown.length === 0;
    write(this.#rest, shown.length === 0 ? "None." : rest === 0 ? "" : `and ${number(rest)} more`);
    this.element.dataset.filtered = String(chosen.size > 0);
  }

  /** Sorts by the scale, or else by number; groups without a value come last. */
  #inOrder(groups: readonly Group[]): readonly Group[] {
    const { scale } = this.dimension;
    const rank = (group: Group) => (scale?.indexOf(group.value) ?? -1) >>> 0;
    return groups.toSorted(
      (one, other) =>
        Number(this.#isNone(one)) - Number(this.#isNone(other)) || rank(one) - rank(other) || other.count - one.count,
    );
  }

  #isNone({ value }: Group): boolean {
    return this.dimension.scale === undefined && isAbsent(value);
  }

  #head(): HTMLElement {
    const names = [this.dimension.noun, "Findings", ...(this.#hasSentiment ? parts.map(partName) : [])];
    const cells = names.map((name) => make("th", { role: "columnheader", scope: "col" }, name));
    return make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...cells));
  }

  #newRow(): Row {
    const button = make("button", { type: "button" });
    // Without sentiments the only part is the total, which has a cell of its own.
    const bars = (this.#hasSentiment ? parts : ["all"]).map((part) =>
      make("td", { role: "cell", "data-part": String(part), ...(part === "all" ? { "aria-hidden": "true" } : {}) }),
    );
    const total = make("td", { role: "cell", class: "total" });
    const cells = [make("th", { role: "rowheader", scope: "row" }, button), total, ...bars];
    const row: Row = { element: make("tr", { role: "row" }, ...cells), button, total, bars, value: undefined };
    button.addEventListener("click", () => this.#toggle(row.value));
    this.#body.append(row.element);
    return row;
  }

  #fill(row: Row, group: Group, largest: number, chosen: ReadonlySet<Scalar>): void {
    const { value, count, bySentiment } = group;
    row.value = value;
    const label = labelOf(this.dimension, value);
    write(row.button, label);
    write(row.total, number(count));
    row.element.dataset.absent = String(this.#isNone(group));
    row.button.title = `${label}: ${number(count)}`;
    row.button.setAttribute("aria-pressed", String(chosen.has(value)));
    let other = count;
    row.bars.forEach((bar, index) => {
      const isLast = index === row.bars.length - 1;
      const size = isLast ? other : (bySentiment.get(parts[index]) ?? 0);
      other -= size;
      bar.style.setProperty("--size", String(this.#isNone(group) ? 0 : size / largest));
      bar.dataset.empty = String(size === 0 || this.#isNone(group));
      write(bar, number(size));
    });
  }

  #showAs(button: HTMLButtonElement): void {
    const isTable = button.getAttribute("aria-pressed") === "false";
    button.setAttribute("aria-pressed", String(isTable));
    this.#table.className = isTable ? "plain-table" : asChart;
    this.element.dataset.as = isTable ? "table" : "chart";
  }
}

function partName(part: unknown): string {
  return part === "other" ? "Other" : sentimentWord(part);
}

/** Sets a text only if it differs, which saves the browser much work. */
function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}
