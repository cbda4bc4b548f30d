/**
 * A bar chart of one dimension. Each bar is in an option of a list box, so that pointer, keyboard and screen reader can choose it. Options stay while
 * the bars change: focus and pointer keep their value.
 */

import type { Scalar } from "inspection-findings";
import { colourOf, type Dimension, isAbsent, labelOf, sentiments, sentimentWord } from "./dimension.js";
import { make, number } from "./page.js";

/** The findings, or the people, with one value: in total, and findings by sentiment. */
export interface Group {
  value: Scalar;
  count: number;
  bySentiment: Map<unknown, number>;
}

/** The parts of a bar, in their order. The last one is for findings without a known sentiment. */
const parts = [...sentiments.toReversed(), "other"];

/** The length of the longest bar before anything has arrived, as a share of the room. */
const leastLength = 0.3;

export class Chart {
  readonly element: HTMLElement;
  readonly #dimension: Dimension;
  readonly #toggle: (value: Scalar) => void;
  readonly #options = make("div", { role: "listbox", class: "options", "aria-multiselectable": "true" });
  readonly #rest = make("p", { class: "soft" });
  /** What is counted. */
  #unit = "findings";
  /** The options of the values, in the order of the bars. */
  #shown = new Map<Scalar, HTMLElement>();

  constructor(dimension: Dimension, toggle: (value: Scalar) => void) {
    this.#dimension = dimension;
    this.#toggle = toggle;
    this.#options.setAttribute("aria-label", dimension.title);
    if (dimension.isTime) this.#options.setAttribute("aria-orientation", "horizontal");
    this.element = make(
      "section",
      { class: dimension.isTime ? "chart card time" : "chart card", "aria-label": dimension.title },
      make("h2", { class: "title" }, dimension.title),
      this.#options,
      this.#rest,
    );
    this.#options.addEventListener("click", ({ target }) => this.#choose(target));
    this.#options.addEventListener("keydown", (event) => this.#press(event));
  }

  /** Shows which colours stand for which sentiments. */
  showLegend(): void {
    const swatches = parts.slice(0, -1).map((part) => {
      const swatch = make("span", { class: "swatch" });
      swatch.style.background = `var(--${colourOf(part)}-bar)`;
      return swatch;
    });
    const [worst, best] = [parts[0], parts.at(-2)].map((part) => sentimentWord(part));
    this.element.querySelector("h2")?.after(make("p", { class: "scale soft" }, `${worst} `, ...swatches, ` ${best}`));
  }

  /** Keeps the height while no finding matches, so that the page does not jump, or stops to keep it. */
  hold(isHeld: boolean): void {
    this.element.style.minHeight = isHeld ? `${this.element.getBoundingClientRect().height}px` : "";
  }

  /**
   * Shows groups of findings or people, and marks those that are chosen. The bars grow with the share of partitions received. A chart in use keeps the
   * order of its bars, so that a bar does not move away from the pointer or the focus.
   */
  show(groups: readonly Group[], chosen: ReadonlySet<Scalar>, share: number, unit: string): void {
    this.#unit = unit;
    const isInUse = this.element.matches(":hover, :focus-within");
    const ranks = new Map([...this.#shown.keys()].map((value, rank) => [value, rank]));
    const rank = ({ value }: Group) => (isInUse ? (ranks.get(value) ?? ranks.size) : 0);
    const ordered = this.#inOrder(groups).toSorted((one, other) => rank(one) - rank(other));
    const shown = ordered.filter(({ value }, at) => at < this.#dimension.most || isAbsent(value) || chosen.has(value));
    const rest = ordered.length - shown.length;
    this.#rest.textContent = rest > 0 ? `and ${number(rest)} more` : "";
    const longest = Math.max(1, ...shown.map(({ count }) => count)) / (leastLength + (1 - leastLength) * share);
    this.#showOptions(shown, chosen, longest);
  }

  /** Sorts by the scale or by number. Findings without a value come last. */
  #inOrder(groups: readonly Group[]): Group[] {
    const { scale, isTime } = this.#dimension;
    if (isTime) return groups.toSorted((one, other) => Number(one.value) - Number(other.value));
    const place = ({ value }: Group) => (scale ? scale.indexOf(value) >>> 0 : Number(isAbsent(value)));
    return groups.toSorted((one, other) => place(one) - place(other) || other.count - one.count);
  }

  /** @param longest the count of a bar that fills its room */
  #showOptions(groups: readonly Group[], chosen: ReadonlySet<Scalar>, longest: number): void {
    const before = this.#shown;
    this.#shown = new Map(groups.map((group) => [group.value, before.get(group.value) ?? this.#makeOption(group)]));
    for (const group of groups) this.#fill(this.#shown.get(group.value) as HTMLElement, group, chosen, longest);
    const options = [...this.#shown.values()];
    // A move of the focused element would blur it.
    if (options.some((option, at) => this.#options.children[at] !== option) || options.length < before.size) {
      const focused = document.activeElement;
      this.#options.replaceChildren(...options);
      if (focused instanceof HTMLElement && this.#options.contains(focused)) focused.focus({ preventScroll: true });
    }
    const current = options.find((option) => option.tabIndex === 0) ?? options[0];
    for (const option of options) option.tabIndex = option === current ? 0 : -1;
  }

  #makeOption({ value }: Group): HTMLElement {
    return make(
      "div",
      { role: "option", class: "option", tabindex: "-1", "data-absent": String(isAbsent(value)) },
      make("span", { class: "label", dir: "auto" }, labelOf(this.#dimension, value)),
      make("span", { class: "bar", "aria-hidden": "true" }),
      make("span", { class: "total" }),
      make("span", { class: "unseen" }),
    );
  }

  #fill(option: HTMLElement, { value, count, bySentiment }: Group, chosen: ReadonlySet<Scalar>, longest: number): void {
    const [label, bar, total, more] = [...option.children] as [HTMLElement, HTMLElement, HTMLElement, HTMLElement];
    const sizes = parts.map((part) => bySentiment.get(part) ?? 0);
    sizes[parts.length - 1] = count - sizes.reduce((sum, size) => sum + size, 0);
    bar.replaceChildren(...sizes.flatMap((size, at) => (size > 0 ? [partOf(size, parts[at])] : [])));
    bar.style.setProperty("--length", String(count / longest));
    const negative = (bySentiment.get(-1) ?? 0) + (bySentiment.get(-2) ?? 0);
    const share = bySentiment.size > 0 && count > 0 ? `, ${Math.round((100 * negative) / count)} % negative` : "";
    total.textContent = number(count);
    more.textContent = ` ${this.#unit}${this.#dimension.column === "Sentiment" ? "" : share}`;
    option.title = `${label.textContent}: ${number(count)}${more.textContent}`;
    option.ariaSelected = String(chosen.has(value));
  }

  #choose(target: EventTarget | null): void {
    const option = target instanceof Element ? target.closest<HTMLElement>("[role=option]") : null;
    const found = [...this.#shown].find(([, shown]) => shown === option);
    if (found === undefined) return;
    this.#focus(found[1]);
    this.#toggle(found[0]);
  }

  #press(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const options = [...this.#shown.values()];
    const at = options.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const to = { Home: 0, End: options.length - 1 }[event.key] ?? (step === undefined ? undefined : at + step);
    if (to === undefined && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (to === undefined) this.#choose(event.target);
    else this.#focus(options[Math.min(Math.max(to, 0), options.length - 1)]);
  }

  #focus(option: HTMLElement | undefined): void {
    for (const other of this.#shown.values()) other.tabIndex = other === option ? 0 : -1;
    option?.focus();
  }
}

/** A part of a bar. */
function partOf(size: number, sentiment: unknown): HTMLElement {
  const part = make("span", {});
  part.style.flexGrow = String(size);
  part.style.background = `var(--${colourOf(sentiment)}-bar)`;
  return part;
}
