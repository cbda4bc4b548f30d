// The fields of a finding that the service documents, with the types of their values. Rust has their names, and Python those of Spark.

import type { InspectionFinding } from "./finding.js";

/** The type of a value, without the value. */
export type FieldType = "integer" | "number" | "string" | "boolean" | "null" | "array" | "object" | "missing";

/** What the help pages of the service say about each field. */
export const DOCUMENTED: Readonly<Record<keyof InspectionFinding, readonly FieldType[]>> = {
  VariableKey: ["integer"],
  RespondentKey: ["integer"],
  RespondentId: ["string"],
  StringKey: ["integer"],
  TopicGroup: ["string", "null"],
  ExpressionGroup: ["string", "null"],
  NoTopic: ["boolean", "missing"],
  NoExpression: ["boolean", "missing"],
  Comment: ["string"],
  Topic: ["object"],
  Expression: ["object"],
  Extract: ["object"],
  Sentiment: ["integer"],
};
