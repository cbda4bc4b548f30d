// The entry for surveys: cross tabulations of people and their opinions.

export type { CrosstabAxis, NamedConditions } from "./axis.js";
export type { CompareOptions } from "./compare-options.js";
export type { Comparison } from "./comparison.js";
export { crosstab } from "./crosstab.js";
export type { CrosstabOptions } from "./crosstab-options.js";
export type {
  CrosstabAxisPart,
  CrosstabCell,
  CrosstabColumn,
  CrosstabResult,
  CrosstabRow,
  CrosstabTest,
  ShareOf,
} from "./crosstab-result.js";
