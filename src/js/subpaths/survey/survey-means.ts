// The entry for means in which each person counts once.

export { type MeanOptions, meanOf } from "../survey/mean.js";
export type { GroupMean, MeanTest } from "../survey/mean-result.js";
