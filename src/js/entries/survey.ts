// The entry for surveys: cross tabulations of people and their opinions, means over people, and what has changed between two waves.

export type { Axis, AxisKey, NamedConditions } from "../survey/axis.js";
export {
  type Cell,
  type CrosstabOptions,
  type CrosstabResult,
  crosstab,
  type Heading,
  type ShareOf,
} from "../survey/crosstab.js";
export { type Change, type DifferenceOptions, difference, type Part } from "../survey/difference.js";
export { type GroupMean, type MeanOptions, meanOf } from "../survey/mean.js";
