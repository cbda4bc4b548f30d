// The entry for surveys: cross tabulations of people and their opinions.

export type { CrosstabAxis, NamedConditions } from "../survey/axis.js";
export type { CompareOptions } from "../survey/compare-options.js";
export type { Comparison } from "../survey/comparison.js";
export { crosstab } from "../survey/crosstab.js";
export type { CrosstabOptions } from "../survey/crosstab-options.js";
export type {
  CrosstabAxisPart,
  CrosstabCell,
  CrosstabColumn,
  CrosstabResult,
  CrosstabRow,
  CrosstabTest,
  ShareOf,
} from "../survey/crosstab-result.js";
