/** A dial: a slider with a few stops, which can also hold a value between two stops. */

import { make } from "../page/element.js";

export interface Scale {
  label: string;
  /** The stops of the slider from left to right: from harmless to severe. */
  stops: readonly number[];
  /** The value in words. */
  words: (value: number) => string;
}

export class Dial {
  readonly element: HTMLElement;
  #scale: Scale;
  #slider: HTMLInputElement;
  #output: HTMLOutputElement;
  #value = 0;

  constructor(name: string, scale: Scale, onInput: (value: number) => void) {
    const id = `laboratory-${name}`;
    this.#scale = scale;
    this.#slider = make("input", {
      id,
      type: "range",
      min: "0",
      max: String(scale.stops.length - 1),
      step: "1",
      autocomplete: "off",
    });
    // Not announced, because the slider announces its value itself.
    this.#output = make("output", { for: id, class: "dial-value", "aria-live": "off" });
    this.element = make("div", { class: "dial" }, make("label", { for: id }, scale.label), this.#output, this.#slider);
    this.#slider.addEventListener("input", () => {
      onInput(scale.stops[this.#slider.valueAsNumber] ?? this.#value);
    });
  }

  /** The name and the value, in words. */
  get summary(): string {
    return `${this.#scale.label} ${this.#scale.words(this.#value)}`;
  }

  set value(value: number) {
    this.#value = value;
    const words = this.#scale.words(value);
    this.#slider.value = String(nearest(this.#scale.stops, value));
    this.#slider.setAttribute("aria-valuetext", words);
    this.#output.textContent = words;
  }
}

/** The index of the stop nearest to a value. */
function nearest(stops: readonly number[], value: number): number {
  return stops.reduce(
    (best, stop, index) => (Math.abs(stop - value) < Math.abs((stops[best] ?? 0) - value) ? index : best),
    0,
  );
}
