/** The list of findings. Only visible rows exist, so that a million scroll like a hundred. */

import type { FindingKind, FindingsTable, InspectionFinding } from "inspection-findings";
import { make } from "../page/element.js";
import { FindingFinder, identityOf } from "./finding-finder.js";
import { columnsOf, findingRow, renumber } from "./finding-row.js";
import { VirtualScroll } from "./virtual-scroll.js";

/** Rows beyond the visible ones, for a scroll that is faster than a frame. */
const overscan = 6;

export class FindingsList {
  /** The element to put into the page. */
  readonly element = make("div", { role: "grid", class: "findings", "aria-label": "Findings" });

  #head = make("div", { role: "rowgroup", class: "head" });
  #body = make("div", { role: "rowgroup", class: "body" });
  #canvas = make("div", { role: "presentation", class: "canvas" });
  /** An element with the height of a row, which the style sheet determines. */
  #measure = make("div", { class: "row-measure", "aria-hidden": "true" });
  #rows = new Map<number, HTMLElement>();
  /** The findings of the rows. */
  #shown = new WeakMap<HTMLElement, InspectionFinding>();
  #findings: FindingsTable | undefined;
  #length = 0;
  #kind: FindingKind = "sentiment";
  #current = 0;
  /** Whether the reader has chosen the current row. */
  #isChosen = false;
  #rowHeight = 1;
  /** The height of the visible part, and the scroll position of the browser. Reading them from the element would force a layout. */
  #height = 0;
  #position = 0;
  #scroll = new VirtualScroll();

  /** @param open called with the index of the finding that the reader opens */
  constructor(open: (index: number) => void) {
    this.#body.append(this.#measure, this.#canvas);
    this.element.append(this.#head, this.#body);
    this.element.addEventListener("keydown", (event) => this.#press(event, open));
    this.#body.addEventListener("scroll", () => this.#scrolled());
    this.#body.addEventListener("scrollend", () => this.#settle());
    this.#body.addEventListener("focusin", ({ target }) => this.#focused(target));
    this.#body.addEventListener("click", ({ target }) => {
      const index = indexOf(target);
      if (index !== undefined && document.getSelection()?.isCollapsed !== false) {
        open(index);
      }
    });
    const size = new ResizeObserver(() => this.#resized());
    size.observe(this.#body);
    size.observe(this.#measure);
  }

  /** Shows findings, beginning with the first. The table must not be freed before the next call. */
  show(findings: FindingsTable | undefined, kind: FindingKind): void {
    this.#findings = findings;
    this.#length = findings?.length ?? 0;
    this.#kind = kind;
    this.#current = 0;
    this.#isChosen = false;
    this.#removeAllBut(() => false);
    this.element.dataset.kind = kind;
    this.element.setAttribute("aria-rowcount", String(this.#length + 1));
    this.element.setAttribute("aria-colcount", String(columnsOf(kind).length));
    this.#head.replaceChildren(headRow(kind));
    this.#scroll.moveTo(0);
    this.#resized();
  }

  /** Shows the same findings among more. The row in use does not move, or else the first visible row, unless it is the first of all. */
  grow(findings: FindingsTable): void {
    const finder = new FindingFinder(findings);
    const moved = (index: number) => {
      const row = this.#rows.get(index);
      const finding = row && this.#findingOf(row);
      return finding === undefined ? index : finder.indexOf(finding, index);
    };
    const anchor = this.#anchor;
    const shift = anchor === undefined ? 0 : moved(anchor) - anchor;
    const current = this.#isChosen ? moved(this.#current) : 0;
    this.#findings = findings;
    this.#length = findings.length;
    this.element.setAttribute("aria-rowcount", String(this.#length + 1));
    this.#resize();
    this.#scroll.moveTo(this.#scroll.offset + shift * this.#rowHeight);
    this.#current = current;
    this.#keepRows();
    this.#place();
  }

  /** Makes a finding the current one, and scrolls it into view. */
  moveTo(index: number): void {
    this.#isChosen = true;
    const start = index * this.#rowHeight;
    const latest = start + this.#rowHeight - this.#height;
    this.#current = index;
    this.#scroll.moveTo(Math.max(Math.min(this.#scroll.offset, start), latest));
    this.#place();
  }

  focusCurrent(): void {
    const row = this.#rows.get(this.#current);
    row?.focus({ preventScroll: true });
    // The list shows it already, but that part of the list may be outside the page's view.
    row?.scrollIntoView({ block: "nearest" });
  }

  #resized(): void {
    const first = this.#scroll.offset / this.#rowHeight;
    this.#rowHeight = this.#measure.offsetHeight || 1;
    this.#height = this.#body.clientHeight;
    this.#position = this.#body.scrollTop;
    this.#resize();
    this.#scroll.moveTo(first * this.#rowHeight);
    this.#place();
  }

  #resize(): void {
    this.#scroll.resize(this.#length * this.#rowHeight, this.#height);
    this.#canvas.style.height = `${this.#scroll.height}px`;
  }

  /** The index of the row that keeps its place: the current one if the reader sees it, or else the first visible one of a scrolled list. */
  get #anchor(): number | undefined {
    const first = Math.floor(this.#scroll.offset / this.#rowHeight);
    const end = Math.ceil((this.#scroll.offset + this.#height) / this.#rowHeight);
    if (this.#isChosen && this.#current >= first && this.#current < end) {
      return this.#current;
    }
    return this.#scroll.offset > 0 ? first : undefined;
  }

  /** The first and the end of the rows that exist. */
  get #range(): [number, number] {
    const { offset } = this.#scroll;
    const first = Math.floor(offset / this.#rowHeight) - overscan;
    const end = Math.ceil((offset + this.#height) / this.#rowHeight) + overscan;
    return [Math.max(0, first), Math.min(this.#length, end)];
  }

  /** Keeps the rows of the findings that stay in view, with their new indexes, and removes all others. */
  #keepRows(): void {
    const known = new Map([...this.#rows.values()].map((row) => [identityOf(this.#findingOf(row)), row]));
    const rows = new Map<number, HTMLElement>();
    const keep = (finding: InspectionFinding | undefined, index: number) => {
      const identity = finding === undefined ? "" : identityOf(finding);
      const row = known.get(identity);
      if (row !== undefined) {
        known.delete(identity);
        rows.set(index, row);
      }
    };
    const [first, end] = this.#range;
    // The current one first, because its row may have the keyboard focus.
    keep(this.#findings?.at(this.#current), this.#current);
    this.#findings?.slice(first, end).forEach((finding, at) => {
      if (!rows.has(first + at)) {
        keep(finding, first + at);
      }
    });
    const kept = new Set(rows.values());
    this.#removeAllBut((index) => kept.has(this.#rows.get(index) as HTMLElement));
    this.#rows = rows;
    for (const [index, row] of rows) {
      if (indexOf(row) !== index) {
        renumber(row, index);
      }
    }
  }

  #findingOf(row: HTMLElement): InspectionFinding {
    return this.#shown.get(row) as InspectionFinding;
  }

  #scrolled(): void {
    this.#position = this.#body.scrollTop;
    if (this.#position !== this.#scroll.top) {
      this.#scroll.follow(this.#position);
      if (this.#scroll.hasDrifted) {
        this.#scroll.settle();
      }
      this.#place();
    }
  }

  #settle(): void {
    this.#scroll.settle();
    this.#place();
  }

  /** Scrolls to the offset, and places the visible rows. */
  #place(): void {
    if (this.#position !== this.#scroll.top) {
      this.#body.scrollTop = this.#scroll.top;
      this.#position = this.#body.scrollTop;
      this.#scroll.top = this.#position;
    }
    const { offset, top, height } = this.#scroll;
    const [first, end] = this.#range;
    // The current row stays, because removing it would lose the keyboard focus.
    this.#removeAllBut((index) => (index >= first && index < end) || index === this.#current);
    this.#build(first, end);
    if (!this.#rows.has(this.#current)) {
      this.#build(this.#current, Math.min(this.#current + 1, this.#length));
    }
    for (const [index, row] of this.#rows) {
      const start = top + index * this.#rowHeight - offset;
      row.style.transform = `translateY(${Math.min(Math.max(start, 0), height - this.#rowHeight)}px)`;
      row.tabIndex = index === this.#current ? 0 : -1;
      row.toggleAttribute("data-away", index < first || index >= end);
    }
  }

  /** Builds the missing rows, and inserts them in order. */
  #build(first: number, end: number): void {
    const missing = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at).filter(
      (index) => !this.#rows.has(index),
    );
    const [from] = missing;
    const to = missing.at(-1);
    if (from === undefined || to === undefined || this.#findings === undefined) {
      return;
    }
    const findings = this.#findings.slice(from, to + 1);
    for (const index of missing) {
      const finding = findings[index - from] as InspectionFinding;
      const row = findingRow(finding, index, this.#kind);
      this.#shown.set(row, finding);
      const next = [...this.#canvas.children].find((other) => (indexOf(other) ?? 0) > index);
      this.#canvas.insertBefore(row, next ?? null);
      this.#rows.set(index, row);
    }
  }

  #removeAllBut(isWanted: (index: number) => boolean): void {
    for (const [index, row] of this.#rows) {
      if (!isWanted(index)) {
        row.remove();
        this.#rows.delete(index);
      }
    }
  }

  #focused(target: EventTarget | null): void {
    const index = indexOf(target);
    this.#isChosen ||= index !== undefined;
    if (index !== undefined && index !== this.#current) {
      this.#current = index;
      this.#place();
    }
  }

  #press(event: KeyboardEvent, open: (index: number) => void): void {
    if (event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const page = Math.max(1, Math.floor(this.#height / this.#rowHeight) - 1);
    const moves: Record<string, number> = {
      ArrowDown: this.#current + 1,
      ArrowUp: this.#current - 1,
      PageDown: this.#current + page,
      PageUp: this.#current - page,
      Home: 0,
      End: this.#length - 1,
    };
    const target = moves[event.key];
    if (target !== undefined) {
      event.preventDefault();
      this.moveTo(Math.min(Math.max(target, 0), this.#length - 1));
      this.focusCurrent();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      open(this.#current);
    }
  }
}

function indexOf(target: EventTarget | null): number | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
  return row === null ? undefined : Number(row.dataset.index);
}

function headRow(kind: FindingKind): HTMLElement {
  const cells = columnsOf(kind).map((column) => make("div", { role: "columnheader", class: "cell" }, column));
  return make("div", { role: "row", class: "row", "aria-rowindex": "1" }, ...cells);
}
