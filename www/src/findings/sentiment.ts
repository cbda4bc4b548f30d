/** Sentiments: the scale from very positive to very negative, its words, and the chip of a sentiment. */

import { make } from "../page/element.js";

/** The scale, the best first. */
export const sentiments: readonly unknown[] = [2, 1, 0, -1, -2];

const words = new Map<unknown, string>([
  [-2, "Very negative"],
  [-1, "Negative"],
  [0, "Neutral"],
  [1, "Positive"],
  [2, "Very positive"],
]);

export function sentimentWord(sentiment: unknown): string {
  return words.get(sentiment) ?? (sentiment === undefined || sentiment === null ? "Not given" : String(sentiment));
}

/** Creates a chip with the word and the colour of a sentiment. */
export function sentimentChip(sentiment: unknown): HTMLElement {
  const chip = make("span", { class: "chip" }, sentimentWord(sentiment));
  chip.dataset.sentiment = String(sentiment);
  return chip;
}
