/** The explorer: charts, filters and list over one table. Whatever is chosen in one of them holds for all. */

import type { Condition, FindingKind, FindingsTable, Scalar } from "inspection-findings";
import { Analysis, type Answer } from "./analysis.js";
import { announceSoon } from "./announcer.js";
import { BarChart } from "./bar-chart.js";
import { makeButton } from "./button.js";
import type { Dimension } from "./dimension.js";
import { byId, make } from "./element.js";
import { FilterBar } from "./filter-bar.js";
import { FindingDialog } from "./finding-dialog.js";
import { FindingsList } from "./findings-list.js";
import { number, outOf } from "./format.js";
import { Selection } from "./selection.js";

/** A search that takes longer than a frame waits until the reader has stopped typing. */
const frame = 16;
const pause = 150;

/** Findings searched in a millisecond, before the first search has been measured. */
const searchedPerMillisecond = 10_000;

export class Explorer {
  #element = byId("explorer");
  #charts = byId("charts");
  #none = make("div", { class: "none", hidden: "" });
  #bar: FilterBar;
  #list: FindingsList;
  #dialog: FindingDialog;
  #shown: (() => void)[] = [];
  #kind: FindingKind = "sentiment";
  #selection = new Selection();
  #analysis: Analysis | undefined;
  #answer: Answer | undefined;
  #barCharts: BarChart[] = [];
  /** Milliseconds that the last search took. */
  #searchTook = 0;
  #asking: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#list = new FindingsList((index) => this.#open(index));
    this.#dialog = new FindingDialog((index) => this.#list.moveTo(index));
    this.#dialog.element.addEventListener("close", () => this.#list.focusCurrent());
    this.#bar = new FilterBar({
      search: (text) => this.#search(text),
      order: (order) => {
        this.#selection.order = order;
        this.#ask();
      },
      toggle: (dimension, value) => this.#toggle(dimension, value),
      clear: () => this.clear(),
    });
    const clear = makeButton("outlined", "Clear all filters", () => {
      this.clear();
      byId("search").focus();
    });
    this.#none.append(
      make("h3", {}, "No finding is like that"),
      make("p", {}, "Take a filter away to see more."),
      clear,
    );
    byId("list").append(this.#list.element, this.#none);
    document.body.append(this.#dialog.element);
  }

  /** The findings that are let through, in order; undefined while there are none to look at. */
  get view(): FindingsTable | undefined {
    return this.#answer?.findings;
  }

  /** The filter of the view, as the package takes it. */
  get filter(): Record<string, Condition> {
    return this.#analysis?.conditions(this.#selection) ?? {};
  }

  /** The order of the view, as the package takes it. */
  get sort(): { path: string; direction: "asc" | "desc" } | undefined {
    const { order } = this.#selection;
    return order && { path: order.column, direction: order.direction };
  }

  /** Calls back whenever another view is shown. */
  onShown(listener: () => void): void {
    this.#shown.push(listener);
  }

  /** Takes over a table, which it frees when it is closed. */
  open(table: FindingsTable, kind: FindingKind): void {
    this.close();
    this.#kind = kind;
    this.#selection = new Selection();
    const analysis = new Analysis(table);
    this.#analysis = analysis;
    this.#searchTook = table.length / searchedPerMillisecond;
    this.#bar.begin(analysis);
    const charts = analysis.dimensions.map(
      (dimension) => new BarChart(dimension, analysis.hasSentiment, (value) => this.#toggle(dimension, value)),
    );
    this.#charts.replaceChildren(...charts.map(({ element }) => element));
    this.#charts.scrollLeft = 0;
    this.#barCharts = [];
    this.#element.hidden = false;
    this.#ask();
    this.#draw(analysis, charts);
  }

  /** Draws charts for the first time, each in a frame of its own, so that nothing else has to wait for long. */
  async #draw(analysis: Analysis, charts: readonly BarChart[]): Promise<void> {
    for (const chart of charts) {
      if (this.#analysis !== analysis) {
        return;
      }
      const { name } = chart.dimension;
      chart.show(this.#answer?.groups.get(name) ?? [], this.#selection.chosen(name));
      this.#barCharts.push(chart);
      await new Promise(requestAnimationFrame);
    }
  }

  close(): void {
    clearTimeout(this.#asking);
    this.#dialog.element.close();
    this.#list.show(undefined, this.#kind);
    this.#element.hidden = true;
    this.#analysis?.free();
    this.#analysis = undefined;
    this.#answer = undefined;
    this.#tell();
  }

  clear(): void {
    this.#selection.clear();
    this.#ask();
  }

  #search(text: string): void {
    this.#selection.search = text;
    clearTimeout(this.#asking);
    if (this.#searchTook > frame && text !== "") {
      this.#asking = setTimeout(() => this.#searchNow(), pause);
    } else {
      this.#searchNow();
    }
  }

  #searchNow(): void {
    const took = this.#ask();
    if (this.#selection.search !== "") {
      this.#searchTook = took;
    }
  }

  #toggle({ name }: Dimension, value: Scalar): void {
    this.#selection.toggle(name, value);
    this.#ask();
  }

  #open(index: number): void {
    if (this.#answer !== undefined) {
      this.#list.moveTo(index);
      this.#dialog.open(this.#answer.findings, index);
    }
  }

  /** Asks what is chosen, and shows the answer. Gives the milliseconds that the answer took. */
  #ask(): number {
    const analysis = this.#analysis;
    if (analysis === undefined) {
      return 0;
    }
    clearTimeout(this.#asking);
    const { detail, startTime: start } = performance.mark("question", { detail: { ...this.filter, order: this.sort } });
    const answer = analysis.answer(this.#selection);
    const { startTime: end } = performance.mark("answered");
    performance.measure("answer", { start, end, detail });
    this.#answer = answer;
    this.#show(analysis, answer, end - start);
    this.#tell();
    return end - start;
  }

  #show(analysis: Analysis, { findings, groups }: Answer, took: number): void {
    const { length } = findings;
    for (const chart of this.#barCharts) {
      const { name } = chart.dimension;
      chart.show(groups.get(name) ?? [], this.#selection.chosen(name));
    }
    this.#bar.show(this.#selection, analysis.dimensions, length, analysis.length, took);
    this.#list.element.hidden = length === 0;
    this.#none.hidden = length > 0;
    this.#list.show(findings, this.#kind);
    if (!this.#selection.isOpen) {
      announceSoon(`${outOf(length, analysis.length)} findings`);
    } else {
      announceSoon(`All ${number(length)} findings`);
    }
  }

  #tell(): void {
    for (const listener of this.#shown) {
      listener();
    }
  }
}
