// The entry for means in which each person counts once.

export { type MeanOptions, meanOf } from "./mean.js";
export type { GroupMean, MeanTest } from "./mean-result.js";
