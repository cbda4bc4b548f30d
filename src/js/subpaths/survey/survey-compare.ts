// The entry for what differs by more than chance: letters of cross tabulations and means, and what has changed between two waves.

export type { CompareOptions } from "../survey/compare-options.js";
export type { Comparison } from "../survey/comparison.js";
export { type CrosstabChange, type DifferenceOptions, difference } from "../survey/difference.js";
export { letters } from "../survey/letters.js";
