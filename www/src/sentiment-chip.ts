/** The chip that shows a sentiment: a word, and a colour beside it. */

import { make } from "./element.js";

const words = new Map<unknown, string>([
  [-2, "Very negative"],
  [-1, "Negative"],
  [0, "Neutral"],
  [1, "Positive"],
  [2, "Very positive"],
]);

export function sentimentChip(sentiment: unknown): HTMLElement {
  const word = words.get(sentiment);
  return word === undefined
    ? make("span", { class: "chip" }, sentiment === undefined ? "Not given" : String(sentiment))
    : make("span", { class: "chip", "data-sentiment": String(sentiment) }, word);
}
