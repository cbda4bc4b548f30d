/** The dimensions by which findings are counted and filtered, if a table has their columns. */

import type { FindingsTable } from "inspection-findings";
import { isGeneric } from "../findings/finding-text.js";
import { sentiments, sentimentWord } from "../findings/sentiment.js";

export type DimensionName = "sentiment" | "topic" | "topicGroup" | "expressionGroup";

export interface Dimension {
  name: DimensionName;
  /** The name of one of its values. */
  noun: string;
  title: string;
  /** The path of the column. */
  column: string;
  /** The values to show in this order, even without findings. Without a scale, values are ordered by number of findings. */
  scale?: readonly unknown[];
}

/** The dimensions that a table has. */
export function dimensionsOf(table: FindingsTable): Dimension[] {
  const known = new Set(table.columns);
  const dimensions: (Dimension | undefined)[] = [
    { name: "sentiment", noun: "Sentiment", title: "Sentiment", column: "Sentiment", scale: sentiments },
    { name: "topic", noun: "Topic", title: "Topics", column: textColumn(table, "Topic") ?? "" },
    { name: "topicGroup", noun: "Topic group", title: "Topic groups", column: "TopicGroup" },
    { name: "expressionGroup", noun: "Expression group", title: "Expression groups", column: "ExpressionGroup" },
  ];
  return dimensions.filter((dimension) => dimension !== undefined && known.has(dimension.column)) as Dimension[];
}

/** The first column with texts of a field, because the service does not document the fields of a text. */
function textColumn(table: FindingsTable, field: string): string | undefined {
  return table.columns.find((path) => (path === field || path.startsWith(`${field}.`)) && hasTexts(table, path));
}

function hasTexts(table: FindingsTable, path: string): boolean {
  const texts = table.filter({ [path]: { contains: "" } });
  const { length } = texts;
  texts.free();
  return length > 0;
}

/** Whether a value means none: no group, or a generic description in place of a topic. */
export function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || isGeneric(String(value));
}

/** A value in words. */
export function labelOf({ name }: Dimension, value: unknown): string {
  if (name === "sentiment") {
    return sentimentWord(value);
  }
  if (value === null || value === undefined || value === "") {
    return name === "topic" ? "No topic" : "Not mapped";
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
