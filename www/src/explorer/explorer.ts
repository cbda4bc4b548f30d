/** The explorer: charts, filters and a list over one table, which may grow. They share one selection. */

import type { Condition, FindingKind, FindingsTable, Progress, Scalar } from "inspection-findings";
import { FindingDialog } from "../findings/finding-dialog.js";
import { FindingsList } from "../findings/findings-list.js";
import { announceSoon } from "../page/announcer.js";
import { makeButton } from "../page/button.js";
import { byId, make } from "../page/element.js";
import { number, outOf } from "../page/format.js";
import { Pacer } from "../page/pacer.js";
import { shareOf } from "../progress/completeness.js";
import { Analysis, type Result } from "./analysis.js";
import { BarChart } from "./bar-chart.js";
import type { Dimension } from "./dimension.js";
import { FilterBar } from "./filter-bar.js";
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
  #progress: Progress | undefined;
  /** The charts that do not show the last snapshot yet. */
  #grown = new Set<BarChart>();
  #isDrawing = false;
  /** The snapshot that is shown next. */
  #next: FindingsTable | undefined;
  #pacer = new Pacer();
  /** The duration of the last search, in milliseconds. */
  #searchTook = 0;
  #pendingSearch: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#list = new FindingsList((index) => this.#openFinding(index));
    this.#dialog = new FindingDialog((index) => this.#list.moveTo(index));
    this.#dialog.element.addEventListener("close", () => this.#returnToList());
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
    this.#none.append(make("h3", {}, "No matching findings"), make("p", {}, "Remove a filter to see more."), clear);
    byId("list").append(this.#list.element, this.#none);
    document.body.append(this.#dialog.element);
  }

  /** The selected findings, in order; undefined without a table. */
  get view(): FindingsTable | undefined {
    return this.#result?.findings;
  }

  /** All the findings that are shown without a selection; undefined without a table. */
  get table(): FindingsTable | undefined {
    return this.#analysis?.table;
  }

  get kind(): FindingKind {
    return this.#kind;
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

  /** The progress with the table that is shown; undefined without one. */
  get progress(): Progress | undefined {
    return this.#analysis && this.#progress;
  }

  /** The share of the partitions in the table. */
  get #share(): number {
    return this.#progress === undefined ? 1 : shareOf(this.#progress);
  }

  /**
   * Shows a table, and owns it: `close` frees the table. A later snapshot of the table replaces it, and the selection stays. Some
   * snapshots are left out, so that the page stays responsive.
   */
  show(table: FindingsTable, progress: Progress, kind: FindingKind): void {
    if (this.#analysis === undefined) {
      this.#progress = progress;
      this.#open(table, kind);
    } else if (table !== this.#next && !this.#analysis.isOf(table)) {
      this.#next?.free();
      this.#next = table;
      this.#pacer.run(() => this.#grow(table, progress));
    }
  }

  /** Shows the last snapshot, however busy the page is. */
  settle(): void {
    this.#pacer.settle();
  }

  #open(table: FindingsTable, kind: FindingKind): void {
    this.#kind = kind;
    this.#selection = new Selection();
    this.#analysis = new Analysis(table);
    this.#searchTook = table.length / searchedPerMillisecond;
    this.#charts.scrollLeft = 0;
    this.#element.hidden = false;
    this.#begin(this.#analysis, this.#query(this.#analysis));
  }

  /** Begins to show the result of the first query of an analysis, which took some milliseconds. */
  #begin(analysis: Analysis, took: number): void {
    this.#bar.begin(analysis, this.#selection);
    this.#charts.dataset.sentiment = String(analysis.hasSentiment);
    const charts = analysis.dimensions.map(
      (dimension) => new BarChart(dimension, analysis.hasSentiment, (value) => this.#toggle(dimension, value)),
    );
    this.#charts.replaceChildren(...charts.map(({ element }) => element));
    this.#barCharts = [];
    this.#list.show(undefined, this.#kind);
    this.#showBar(analysis, took);
    this.#notify();
    this.#draw(analysis, charts);
  }

  /** Draws the first chart, which gives all their height, then the list and the others, each in a frame, to keep the page responsive. */
  async #draw({ dimensions }: Analysis, charts: readonly BarChart[]): Promise<void> {
    const [first, ...others] = charts.map((chart) => () => {
      this.#drawChart(chart, false);
      this.#barCharts.push(chart);
    });
    for (const step of [first, () => this.#showList(), ...others]) {
      if (this.#analysis?.dimensions !== dimensions) {
        return;
      }
      step?.();
      await new Promise(requestAnimationFrame);
    }
  }

  /** Shows a later snapshot of the table, with the same selection. */
  #grow(table: FindingsTable, progress: Progress): void {
    const analysis = this.#analysis;
    if (analysis === undefined) {
      return;
    }
    this.#next = undefined;
    this.#progress = progress;
    const { dimensions } = analysis;
    const begun = performance.now();
    this.#result = analysis.query(this.#selection, table);
    const took = performance.now() - begun;
    const { findings } = this.#result;
    this.#dialog.grow(findings);
    if (analysis.dimensions !== dimensions) {
      this.#begin(analysis, took);
      return;
    }
    this.#drawGrown();
    this.#bar.showCount(findings.length, analysis.length, took);
    this.#showWhetherAny(findings.length);
    this.#list.grow(findings);
    this.#notify();
  }

  /** Draws the charts of a later snapshot, each in a frame after that of the list, to keep the page responsive. One that waits keeps its turn. */
  async #drawGrown(): Promise<void> {
    for (const chart of this.#barCharts) {
      this.#grown.add(chart);
    }
    if (this.#isDrawing) {
      return;
    }
    this.#isDrawing = true;
    // The loop also visits charts that are added while it runs.
    for (const chart of this.#grown) {
      await new Promise(requestAnimationFrame);
      if (this.#grown.delete(chart)) {
        this.#drawChart(chart, true);
      }
    }
    this.#isDrawing = false;
  }

  #drawChart(chart: BarChart, isGrowing: boolean): void {
    const { name } = chart.dimension;
    chart.show(this.#result?.groups.get(name) ?? [], this.#selection.chosen(name), this.#share, isGrowing);
  }

  close(): void {
    clearTimeout(this.#pendingSearch);
    this.#pacer.stop();
    this.#grown.clear();
    this.#next?.free();
    this.#next = undefined;
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
    this.#ask();
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
    const took = this.#ask();
    if (this.#selection.search !== "") {
      this.#searchTook = took;
    }
  }

  #toggle({ name }: Dimension, value: Scalar): void {
    this.#selection.toggle(name, value);
    this.#ask();
  }

  #openFinding(index: number): void {
    if (this.#result !== undefined) {
      this.#list.moveTo(index);
      this.#dialog.open(this.#result.findings, index);
    }
  }

  /** Moves the focus from the dialog to the row of its finding. The browser has moved it to the row that opened the dialog. */
  #returnToList(): void {
    if (this.#result !== undefined) {
      this.#list.moveTo(this.#dialog.index);
      this.#list.focusCurrent();
    }
  }

  /** Queries what the reader has selected, shows the result and announces it. Returns the duration of the query, in milliseconds. */
  #ask(): number {
    const took = this.#update();
    const { length } = this.view ?? { length: 0 };
    const isAll = this.#selection.isOpen && this.#share === 1;
    announceSoon(isAll ? `All ${number(length)} findings` : `${outOf(length, this.#analysis?.length ?? 0)} findings`);
    return took;
  }

  /** Queries the selection and shows the result. Returns the duration of the query, in milliseconds. */
  #update(): number {
    const analysis = this.#analysis;
    if (analysis === undefined) {
      return 0;
    }
    const took = this.#query(analysis);
    for (const chart of this.#barCharts) {
      this.#drawChart(chart, false);
    }
    this.#showBar(analysis, took);
    this.#showList();
    this.#notify();
    return took;
  }

  /** Queries the selection. Returns the duration of the query, in milliseconds. */
  #query(analysis: Analysis): number {
    clearTimeout(this.#pendingSearch);
    const { detail, startTime: start } = performance.mark("question", { detail: { ...this.filter, order: this.sort } });
    const result = analysis.query(this.#selection);
    const { startTime: end } = performance.mark("answered");
    performance.measure("answer", { start, end, detail });
    this.#result = result;
    return end - start;
  }

  #showBar(analysis: Analysis, took: number): void {
    this.#bar.show(this.#selection, analysis.dimensions, this.view?.length ?? 0, analysis.length, took);
  }

  /** Shows the selected findings from the first one. */
  #showList(): void {
    this.#showWhetherAny(this.view?.length ?? 0);
    this.#list.show(this.view, this.#kind);
  }

  /** Shows the list, or that no findings match. */
  #showWhetherAny(length: number): void {
    const loses = length > 0 && this.#none.contains(document.activeElement);
    this.#list.element.hidden = length === 0;
    this.#none.hidden = length > 0;
    if (loses) {
      byId("search").focus({ preventScroll: true });
    }
  }

  #notify(): void {
    for (const listener of this.#shown) {
      listener();
    }
  }
}
