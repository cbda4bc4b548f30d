// The entry for what differs by more than chance: letters of cross tabulations and means, and what has changed between two waves.

export type { CompareOptions } from "./compare-options.js";
export type { Comparison } from "./comparison.js";
export { type CrosstabChange, type DifferenceOptions, difference } from "./difference.js";
export { letters } from "./letters.js";
