// The entry for surveys: cross tabulations of people and their opinions, means over people, rows of respondents, and what has changed between two waves.

export type { CrosstabAxis, NamedConditions } from "../survey/axis.js";
export type { CompareOptions } from "../survey/compare-options.js";
export { crosstab } from "../survey/crosstab.js";
export type { CrosstabOptions, ShareOf } from "../survey/crosstab-options.js";
export type {
  CrosstabCell,
  CrosstabColumn,
  CrosstabResult,
  CrosstabRow,
  CrosstabTest,
} from "../survey/crosstab-result.js";
export { type CrosstabChange, type DifferenceOptions, difference } from "../survey/difference.js";
export { type GroupMean, type MeanOptions, type MeanTest, meanOf } from "../survey/mean.js";
export { type Respondents, type RespondentsOptions, respondentsOf } from "../survey/respondents.js";
