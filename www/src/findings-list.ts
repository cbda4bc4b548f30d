/** The list of findings. Only the visible rows exist, so a million scroll like a hundred. */

import type { FindingKind, FindingsTable, InspectionFinding } from "inspection-findings";
import { described, markedComment, sentimentChip, textOf } from "./finding-text.js";
import { byId, make, number } from "./page.js";

/** The greatest scroll height. The limits of browsers begin above 16 million pixels. */
const maxHeight = 12_000_000;

/** Rows beyond the visible ones, for a scroll that is faster than a frame. */
const overscan = 4;

/** The characters before the extract in a row. */
const lead = 48;

export class FindingsList {
  readonly #element = byId("rows");
  readonly #canvas = make("ul", { class: "canvas", "aria-label": "Findings" });
  /** An element with the height of a row, which the style sheet determines. */
  readonly #measure = make("div", { class: "row measure", "aria-hidden": "true" });
  #rows = new Map<number, HTMLElement>();
  #findings: FindingsTable | undefined;
  #kind: FindingKind = "sentiment";
  #current = 0;

  /** @param open called with the index of the finding that the reader opens */
  constructor(open: (index: number) => void) {
    this.#element.append(this.#measure, this.#canvas);
    this.#element.addEventListener("scroll", () => this.#place());
    this.#element.addEventListener("keydown", (event) => this.#press(event));
    this.#element.addEventListener("click", ({ target }) => {
      const row = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
      if (row === null || document.getSelection()?.isCollapsed === false) return;
      this.#current = Number(row.dataset.index);
      open(this.#current);
    });
    new ResizeObserver(() => this.#place()).observe(this.#element);
  }

  /** Shows other findings. The scroll position stays while the same findings grow. */
  show(findings: FindingsTable | undefined, kind: FindingKind): void {
    const length = findings?.length ?? 0;
    if (length < (this.#findings?.length ?? 0)) this.#element.scrollTop = 0;
    this.#findings = findings;
    this.#kind = kind;
    this.#current = Math.min(this.#current, Math.max(0, length - 1));
    const focused = this.#rows.get(this.#current)?.contains(document.activeElement);
    for (const row of this.#rows.values()) row.remove();
    this.#rows.clear();
    this.#place();
    if (focused) this.#focus();
  }

  /** Scrolls to a finding, and moves the focus to it. */
  moveTo(index: number): void {
    const { clientHeight } = this.#element;
    const room = this.#length * this.#rowHeight - clientHeight;
    const start = index * this.#rowHeight;
    const offset = Math.max(Math.min(this.#offset, start), start + this.#rowHeight - clientHeight);
    this.#current = index;
    this.#element.scrollTop = room <= 0 ? 0 : offset * ((this.#height - clientHeight) / room);
    this.#place();
    this.#focus();
  }

  get #length(): number {
    return this.#findings?.length ?? 0;
  }

  get #rowHeight(): number {
    return this.#measure.offsetHeight || 1;
  }

  get #height(): number {
    return Math.min(this.#length * this.#rowHeight, maxHeight);
  }

  /** The offset in the list, of which the scroll position is a share if the list is higher than browsers can scroll. */
  get #offset(): number {
    const { scrollTop, clientHeight } = this.#element;
    const range = this.#height - clientHeight;
    return range <= 0 ? 0 : scrollTop * ((this.#length * this.#rowHeight - clientHeight) / range);
  }

  /** Makes the rows that are visible, removes all others but the current one, and places them. */
  #place(): void {
    const height = this.#rowHeight;
    this.#canvas.style.height = `${this.#height}px`;
    const offset = this.#offset;
    const { scrollTop, clientHeight } = this.#element;
    const first = Math.max(0, Math.floor(offset / height) - overscan);
    const end = Math.min(this.#length, Math.ceil((offset + clientHeight) / height) + overscan);
    for (const [index, row] of this.#rows) {
      if ((index < first || index >= end) && index !== this.#current) {
        row.remove();
        this.#rows.delete(index);
      }
    }
    this.#make(first, end);
    if (this.#current < this.#length) this.#make(this.#current, this.#current + 1);
    for (const [index, row] of this.#rows) {
      row.style.transform = `translateY(${scrollTop + index * height - offset}px)`;
      (row.firstElementChild as HTMLElement).tabIndex = index === this.#current ? 0 : -1;
    }
  }

  #make(first: number, end: number): void {
    const missing = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at).filter(
      (index) => !this.#rows.has(index),
    );
    const [from = 0] = missing;
    const findings = missing.length === 0 ? [] : (this.#findings?.slice(from, (missing.at(-1) ?? from) + 1) ?? []);
    for (const index of missing) {
      const row = rowOf(findings[index - from] as InspectionFinding, index, this.#length, this.#kind);
      const next = [...this.#canvas.children].find((other) => Number((other as HTMLElement).dataset.index) > index);
      this.#canvas.insertBefore(row, next ?? null);
      this.#rows.set(index, row);
    }
  }

  #press(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.#element.clientHeight / this.#rowHeight) - 1);
    const steps: Record<string, number> = {
      ArrowDown: this.#current + 1,
      ArrowUp: this.#current - 1,
      PageDown: this.#current + page,
      PageUp: this.#current - page,
      Home: 0,
      End: this.#length - 1,
    };
    const to = steps[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.moveTo(Math.min(Math.max(to, 0), this.#length - 1));
  }

  #focus(): void {
    const row = this.#rows.get(this.#current);
    row?.querySelector("button")?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  }
}

function rowOf(finding: InspectionFinding, index: number, length: number, kind: FindingKind): HTMLElement {
  const { Comment, Extract, Topic, TopicGroup, Expression, ExpressionGroup, Sentiment } = finding;
  const meta = make(
    "span",
    { class: "meta" },
    ...(kind === "sentiment" ? [sentimentChip(Sentiment)] : []),
    make("span", { class: "found" }, ...described(textOf(Topic), TopicGroup)),
    make("span", { class: "found" }, "→ ", ...described(textOf(Expression), ExpressionGroup)),
    make("span", { class: "ordinal" }, number(index + 1)),
  );
  const comment = make("span", { class: "comment", dir: "auto" });
  comment.append(...markedComment(String(Comment ?? ""), textOf(Extract), lead));
  const place = { "aria-posinset": `${index + 1}`, "aria-setsize": `${length}`, "data-index": `${index}` };
  return make("li", { class: "row", ...place }, make("button", { type: "button" }, comment, meta));
}
