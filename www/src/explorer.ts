/** The explorer: charts, filters and a list over one table. They share one selection. */

import type { Condition, FindingKind, FindingsTable, Scalar } from "inspection-findings";
import { Analysis, type Result } from "./analysis.js";
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

/** Milliseconds of a frame. A search that takes longer waits for a pause in typing. */
const frame = 16;
const pause = 150;

/** The estimated number of findings searched per millisecond, before the first measurement. */
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
  #result: Result | undefined;
  #barCharts: BarChart[] = [];
  /** The duration of the last search, in milliseconds. */
  #searchTook = 0;
  #pendingSearch: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#list = new FindingsList((index) => this.#open(index));
    this.#dialog = new FindingDialog((index) => this.#list.moveTo(index));
    this.#dialog.element.addEventListener("close", () => this.#list.focusCurrent());
    this.#bar = new FilterBar({
      search: (text) => this.#search(text),
      order: (order) => {
        this.#selection.order = order;
        this.#update();
      },
      toggle: (dimension, value) => this.#toggle(dimension, value),
      clear: () => this.clear(),
    });
    const clear = makeButton("outlined", "Clear all filters", () => {
      this.clear();
      byId("search").focus();
    });
    this.#none.append(make("h3", {}, "No matching findings"), make("p", {}, "Remove a filter to see more."), clear);
    byId("list").append(this.#list.element, this.#none);
    document.body.append(this.#dialog.element);
  }

  /** The selected findings, in order; undefined without a table. */
  get view(): FindingsTable | undefined {
    return this.#result?.findings;
  }

  /** The filter of the view, as an argument of `FindingsTable.filter`. */
  get filter(): Record<string, Condition> {
    return this.#analysis?.conditions(this.#selection) ?? {};
  }

  /** The order of the view, as arguments of `FindingsTable.sortBy`. */
  get sort(): { path: string; direction: "asc" | "desc" } | undefined {
    const { order } = this.#selection;
    return order && { path: order.column, direction: order.direction };
  }

  /** Calls a listener after each change of the view. */
  onShown(listener: () => void): void {
    this.#shown.push(listener);
  }

  /** Shows a table, and owns it: `close` frees the table. */
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
    this.#update();
    this.#draw(analysis, charts);
  }

  /** Draws the charts for the first time, each in its own frame, to keep the page responsive. */
  async #draw(analysis: Analysis, charts: readonly BarChart[]): Promise<void> {
    for (const chart of charts) {
      if (this.#analysis !== analysis) {
        return;
      }
      const { name } = chart.dimension;
      chart.show(this.#result?.groups.get(name) ?? [], this.#selection.chosen(name));
      this.#barCharts.push(chart);
      await new Promise(requestAnimationFrame);
    }
  }

  close(): void {
    clearTimeout(this.#pendingSearch);
    this.#dialog.element.close();
    this.#list.show(undefined, this.#kind);
    this.#element.hidden = true;
    this.#analysis?.free();
    this.#analysis = undefined;
    this.#result = undefined;
    this.#notify();
  }

  clear(): void {
    this.#selection.clear();
    this.#update();
  }

  #search(text: string): void {
    this.#selection.search = text;
    clearTimeout(this.#pendingSearch);
    if (this.#searchTook > frame && text !== "") {
      this.#pendingSearch = setTimeout(() => this.#searchNow(), pause);
    } else {
      this.#searchNow();
    }
  }

  #searchNow(): void {
    const took = this.#update();
    if (this.#selection.search !== "") {
      this.#searchTook = took;
    }
  }

  #toggle({ name }: Dimension, value: Scalar): void {
    this.#selection.toggle(name, value);
    this.#update();
  }

  #open(index: number): void {
    if (this.#result !== undefined) {
      this.#list.moveTo(index);
      this.#dialog.open(this.#result.findings, index);
    }
  }

  /** Queries the selection and shows the result. Returns the duration of the query, in milliseconds. */
  #update(): number {
    const analysis = this.#analysis;
    if (analysis === undefined) {
      return 0;
    }
    clearTimeout(this.#pendingSearch);
    const { detail, startTime: start } = performance.mark("question", { detail: { ...this.filter, order: this.sort } });
    const result = analysis.query(this.#selection);
    const { startTime: end } = performance.mark("answered");
    performance.measure("answer", { start, end, detail });
    this.#result = result;
    this.#show(analysis, result, end - start);
    this.#notify();
    return end - start;
  }

  #show(analysis: Analysis, { findings, groups }: Result, took: number): void {
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

  #notify(): void {
    for (const listener of this.#shown) {
      listener();
    }
  }
}
