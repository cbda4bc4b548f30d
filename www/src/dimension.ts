/** The dimensions by which findings are counted and filtered, if a table has their columns. */

import type { FindingsTable, Scalar } from "inspection-findings";

export interface Dimension {
  title: string;
  /** The path of the column. */
  column: string;
  /** The values to show in this order, even without findings. Without a scale, the most frequent value comes first. */
  scale?: readonly Scalar[];
  /** Whether the bars stand side by side, in the order of their numbers. */
  isTime?: boolean;
  /** Whether there may be many values. */
  isText?: boolean;
  /** The most values that have a bar. */
  most: number;
}

/** The sentiments, the best first. */
export const sentiments = [2, 1, 0, -1, -2] as const;

/** The weeks of the story, so that the first one to arrive does not fill the chart. */
const weeks = Array.from({ length: 12 }, (_, index) => index + 1);

const words = new Map<unknown, string>([
  [2, "Very positive"],
  [1, "Positive"],
  [0, "Neutral"],
  [-1, "Negative"],
  [-2, "Very negative"],
]);

export function sentimentWord(sentiment: unknown): string {
  return words.get(sentiment) ?? (sentiment === undefined || sentiment === null ? "Not given" : String(sentiment));
}

/** The beginning of the names of a sentiment's colours in style/theme.css. */
export function colourOf(sentiment: unknown): string {
  return words.get(sentiment)?.toLowerCase().replace(" ", "-") ?? "other";
}

export function dimensionsOf({ columns }: FindingsTable): Dimension[] {
  // The service does not document the fields of a topic.
  const topic = ["Topic.Text", ...columns].find((path) => columns.includes(path) && /^Topic(\.|$)/.test(path)) ?? "";
  const dimensions: Dimension[] = [
    { title: "Weeks", column: "Week", scale: weeks, isTime: true, most: 60 },
    { title: "Topic groups", column: "TopicGroup", most: 12 },
    { title: "Sentiment", column: "Sentiment", scale: sentiments, most: 12 },
    { title: "Topics", column: topic, isText: true, most: 14 },
    { title: "Expression groups", column: "ExpressionGroup", isText: true, most: 9 },
  ];
  return dimensions.filter(({ column }) => columns.includes(column));
}

/** Whether a value means that a finding has none: no group, or a generic description in place of a topic. */
export function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || /^\/.*\/$/.test(String(value));
}

export function labelOf({ column }: Dimension, value: unknown): string {
  if (column === "Sentiment") return sentimentWord(value);
  if (value === null || value === undefined || value === "") return "Not mapped";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
