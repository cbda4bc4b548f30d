/** The grid of findings: only the rows that can be seen exist, so that a hundred thousand scroll like a hundred. */

import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type Range,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import type { FindingKind, InspectionFinding } from "inspection-findings";
import { make } from "./element.js";
import { columnsOf, findingRow } from "./finding-row.js";

type Options = VirtualizerOptions<HTMLElement, HTMLElement>;

/** Rows beyond the edges, for the scrolling that outruns a frame. */
const overscan = 6;

export class FindingsGrid {
  /** The element to put into the page. */
  readonly element = make("div", { role: "grid", class: "findings", "aria-label": "Findings" });

  #head = make("div", { role: "rowgroup", class: "head" });
  #body = make("div", { role: "rowgroup", class: "body" });
  #canvas = make("div", { role: "presentation", class: "canvas" });
  #rows = new Map<number, HTMLElement>();
  #findings: readonly InspectionFinding[] = [];
  #kind: FindingKind = "sentiment";
  #current = 0;
  #placing = false;
  #width = 0;
  #virtualizer: Virtualizer<HTMLElement, HTMLElement>;

  constructor() {
    this.#body.append(this.#canvas);
    this.element.append(this.#head, this.#body);
    this.element.addEventListener("keydown", (event) => this.#press(event));
    this.#body.addEventListener("focusin", ({ target }) => this.#focused(target));
    this.#virtualizer = new Virtualizer(this.#options());
    this.#virtualizer._didMount();
    new ResizeObserver(() => {
      if (this.#canvas.clientWidth !== this.#width) {
        this.#width = this.#canvas.clientWidth;
        this.#widthChanged();
      }
    }).observe(this.#canvas);
  }

  show(findings: readonly InspectionFinding[], kind: FindingKind): void {
    this.#findings = findings;
    this.#kind = kind;
    this.#current = 0;
    this.#removeAllBut(new Set());
    this.element.hidden = findings.length === 0;
    this.element.dataset.kind = kind;
    this.element.setAttribute("aria-rowcount", String(findings.length + 1));
    this.element.setAttribute("aria-colcount", String(columnsOf(kind).length));
    this.#head.replaceChildren(headRow(kind));
    this.#body.scrollTop = 0;
    this.#virtualizer.setOptions(this.#options());
    this.#virtualizer.measure();
    this.#virtualizer._willUpdate();
    this.#render();
  }

  clear(): void {
    this.show([], this.#kind);
  }

  #options(): Options {
    return {
      count: this.#findings.length,
      getScrollElement: () => this.#body,
      estimateSize: (index) => this.#estimate(index),
      overscan,
      rangeExtractor: (range) => this.#indexes(range),
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset,
      onChange: () => this.#render(),
    };
  }

  /** The visible rows, and the current one: a row that is scrolled away must not take the keyboard’s focus with it. */
  #indexes({ startIndex, endIndex, count }: Range): number[] {
    const first = Math.max(0, startIndex - overscan);
    const last = Math.min(count - 1, endIndex + overscan);
    const indexes = Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
    if (this.#current < first) {
      return [this.#current, ...indexes];
    }
    return this.#current > last && this.#current < count ? [...indexes, this.#current] : indexes;
  }

  /** The height that a row will about have, from the length of its comment. */
  #estimate(index: number): number {
    const width = this.#width;
    const narrow = width < 720;
    const line = (narrow ? width - 40 : width - 600) / 7.2;
    const lines = Math.max(1, Math.ceil(String(this.#findings[index]?.Comment ?? "").length / line));
    return narrow ? 74 + lines * 22 : Math.max(61, 26 + lines * 22);
  }

  /** Places the rows that are to be seen. Measuring them may show that there is room for more. */
  #render(): void {
    if (this.#placing) {
      return;
    }
    this.#placing = true;
    for (let added = this.#place(); added.length > 0; added = this.#place()) {
      for (const row of added) {
        this.#virtualizer.measureElement(row);
      }
    }
    // The rows have their room now, which a scroll to the very end may have been waiting for.
    this.#virtualizer._willUpdate();
    this.#placing = false;
  }

  /** The rows that were not there before. */
  #place(): HTMLElement[] {
    const items = this.#virtualizer.getVirtualItems();
    this.#removeAllBut(new Set(items.map(({ index }) => index)));
    this.#canvas.style.height = `${this.#virtualizer.getTotalSize()}px`;
    const added: HTMLElement[] = [];
    let next = this.#canvas.firstElementChild;
    for (const { index, start } of items) {
      const known = this.#rows.get(index);
      const row = known ?? findingRow(this.#findings[index] as InspectionFinding, index, this.#kind);
      if (known === undefined) {
        this.#rows.set(index, row);
        this.#canvas.insertBefore(row, next);
        added.push(row);
      }
      row.style.transform = `translateY(${start}px)`;
      row.tabIndex = index === this.#current ? 0 : -1;
      next = row.nextElementSibling;
    }
    return added;
  }

  #removeAllBut(wanted: ReadonlySet<number>): void {
    for (const [index, row] of this.#rows) {
      if (!wanted.has(index)) {
        row.remove();
        this.#rows.delete(index);
      }
    }
    // Lets go of the removed rows, which it would go on observing.
    this.#virtualizer.measureElement(null);
  }

  /** Another width breaks the lines elsewhere, so every height that was measured is void. */
  #widthChanged(): void {
    const { startIndex } = this.#virtualizer.range ?? { startIndex: 0 };
    this.#virtualizer.measure();
    for (const row of this.#rows.values()) {
      this.#virtualizer.measureElement(row);
    }
    this.#virtualizer.scrollToIndex(startIndex, { align: "start" });
    this.#render();
  }

  #focused(target: EventTarget | null): void {
    const row = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
    if (row !== null) {
      this.#makeCurrent(Number(row.dataset.index));
    }
  }

  #press(event: KeyboardEvent): void {
    const page = Math.max(1, this.#visibleRows() - 1);
    const last = this.#findings.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: this.#current + 1,
      ArrowUp: this.#current - 1,
      PageDown: this.#current + page,
      PageUp: this.#current - page,
      Home: 0,
      End: last,
    };
    const target = moves[event.key];
    if (target !== undefined && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.#moveTo(Math.min(Math.max(target, 0), last));
    }
  }

  #moveTo(index: number): void {
    this.#makeCurrent(index);
    this.#virtualizer.scrollToIndex(index);
    this.#rows.get(index)?.focus({ preventScroll: true });
  }

  #makeCurrent(index: number): void {
    this.#current = index;
    // The current row is one of the rows to render, which are looked up anew only under new options.
    this.#virtualizer.setOptions(this.#options());
    this.#render();
  }

  #visibleRows(): number {
    const { startIndex, endIndex } = this.#virtualizer.range ?? { startIndex: 0, endIndex: 0 };
    return endIndex - startIndex;
  }
}

function headRow(kind: FindingKind): HTMLElement {
  const cells = columnsOf(kind).map((column) => make("div", { role: "columnheader", class: "cell" }, column));
  return make("div", { role: "row", class: "row", "aria-rowindex": "1" }, ...cells);
}
