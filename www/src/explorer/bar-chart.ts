/** A bar chart of one dimension: a table that Charts.css draws as bars, and that can also be shown as a table. */

import type { Scalar } from "inspection-findings";
import { sentiments, sentimentWord } from "../findings/sentiment.js";
import { makeButton } from "../page/button.js";
import { make } from "../page/element.js";
import { number } from "../page/format.js";
import type { Group } from "./analysis.js";
import { type Dimension, isAbsent, labelOf } from "./dimension.js";

/** The most values in a chart. */
const maxValues = 30;

/** The parts of a bar, from left to right. The last part has all unknown sentiments. */
const parts = [...sentiments.toReversed(), "other"];

/** The length of the longest bar before anything has arrived, as a share of the room. With the last partition it fills the room. */
const minLength = 0.3;

/** The number of places for the end of a bar: more than anybody could tell apart. */
const steps = 500;

const asChart = "charts-css bar multiple stacked show-labels";

interface Row {
  element: HTMLTableRowElement;
  button: HTMLButtonElement;
  total: HTMLTableCellElement;
  bars: HTMLTableCellElement[];
  value: Scalar;
}

/** What a chart shows. */
interface Shown {
  groups: readonly Group[];
  chosen: ReadonlySet<Scalar>;
  share: number;
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
  #last: Shown | undefined;
  #isTable = false;

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
    for (const leaving of ["pointerleave", "focusout"]) {
      this.element.addEventListener(leaving, () => this.#settle());
    }
  }

  /**
   * Shows groups of findings, and marks the selected ones. The group without a value has a number but no bar.
   *
   * @param share of the partitions received: the bars grow with it
   * @param isGrowing whether only more findings have arrived. Then the bars of a chart in use keep their order, so that the one to which the
   * reader points, or that has the keyboard focus, is not replaced by another.
   */
  show(groups: readonly Group[], chosen: ReadonlySet<Scalar>, share: number, isGrowing: boolean): void {
    this.#last = { groups, chosen, share };
    this.#draw(this.#last, isGrowing && this.#isInUse ? this.#asBefore(groups) : this.#inOrder(groups));
  }

  #draw({ chosen, share }: Shown, ordered: readonly Group[]): void {
    const shown = ordered.filter(
      (group, position) => position < maxValues || this.#isNone(group) || chosen.has(group.value),
    );
    const counts = shown.filter((group) => !this.#isNone(group)).map(({ count }) => count);
    const largest = Math.max(1, ...counts) / (minLength + (1 - minLength) * share);
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

  /** Whether the reader points to the chart, or it has the keyboard focus. */
  get #isInUse(): boolean {
    return this.element.matches(":hover, :focus-within");
  }

  /** Sorts the bars as usual once the chart is no longer in use. */
  #settle(): void {
    // In another task, because the focus may only move to another bar.
    setTimeout(() => {
      if (this.#last !== undefined && !this.#isInUse) {
        this.#draw(this.#last, this.#inOrder(this.#last.groups));
      }
    });
  }

  /** Sorts as the bars are now, and what has no bar after them. */
  #asBefore(groups: readonly Group[]): readonly Group[] {
    const ranks = new Map(this.#rows.map(({ value }, rank) => [value, rank]));
    const rank = ({ value }: Group) => ranks.get(value) ?? ranks.size;
    return this.#inOrder(groups).toSorted((one, other) => rank(one) - rank(other));
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
    const button = make("button", { type: "button", dir: "auto" });
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
    const isNone = this.#isNone(group);
    const isChosen = chosen.has(value);
    row.value = value;
    const label = labelOf(this.dimension, value);
    write(row.button, label);
    writeNumber(row.total, number(count));
    set(row.element, "data-absent", String(isNone));
    set(row.element, "data-chosen", String(isChosen));
    set(row.button, "title", `${label}: ${number(count)}`);
    set(row.button, "aria-pressed", String(isChosen));
    let before = 0;
    row.bars.forEach((bar, index) => {
      const isLast = index === row.bars.length - 1;
      const size = isLast ? count - before : (bySentiment.get(parts[index]) ?? 0);
      const length = isNone || this.#isTable ? 0 : size / largest;
      place(bar, isNone ? 0 : before / largest, length);
      // Text is only in the table: that of many bars would take the browser a long time.
      writeNumber(bar, this.#isTable ? number(size) : "");
      set(bar, "aria-label", number(size));
      before += size;
    });
  }

  #showAs(button: HTMLButtonElement): void {
    this.#isTable = !this.#isTable;
    button.setAttribute("aria-pressed", String(this.#isTable));
    this.#table.className = this.#isTable ? "plain-table" : asChart;
    this.element.dataset.as = this.#isTable ? "table" : "chart";
    if (this.#last !== undefined) {
      this.#draw(this.#last, this.#asBefore(this.#last.groups));
    }
  }
}

function partName(part: unknown): string {
  return part === "other" ? "Other" : sentimentWord(part);
}

/** Places a bar only if it differs visibly. The values are shares of the room. */
function place(bar: HTMLElement, from: number, length: number): void {
  const begin = Math.round(from * steps) / steps;
  const end = Math.round((from + length) * steps) / steps;
  const transform = length === 0 ? "" : `translateX(${100 * begin}%) scaleX(${end - begin})`;
  if (bar.style.transform !== transform) {
    bar.style.transform = transform;
  }
}

/** Sets an attribute only if it differs, which saves the browser much work. */
function set(element: HTMLElement, name: string, value: string): void {
  if (element.getAttribute(name) !== value) {
    element.setAttribute(name, value);
  }
}

/** Sets a text only if it differs, and in the same text node: with another one the layout takes the browser many times as long. */
function write(element: HTMLElement, text: string): void {
  const node = element.firstChild;
  if (node === null) {
    element.append(text);
  } else if (node.nodeValue !== text) {
    node.nodeValue = text;
  }
}

/** Sets a number, which is aligned to the right. A longer number is another text node, because the same one would move to the left. */
function writeNumber(element: HTMLElement, text: string): void {
  if (element.textContent?.length !== text.length) {
    element.textContent = text;
  } else {
    write(element, text);
  }
}
