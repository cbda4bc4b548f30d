/** The rows that a data frame has to have. */

const documented = [
  ...["VariableKey", "RespondentKey", "RespondentId", "StringKey", "TopicGroup", "ExpressionGroup"],
  ...["NoTopic", "NoExpression", "Comment"],
];

/**
 * The rows of findings, in the order of the inspection.
 * @param {object[][]} partitions
 * @param {import("inspection-findings").FindingKind} kind
 * @param {string[]} further the columns that are declared besides
 */
export function rowsOf(partitions, kind, further = []) {
  const names = [...documented, ...(kind === "sentiment" ? ["Sentiment"] : []), ...further];
  /** @type {(finding: any, name: string) => unknown} */
  const valueIn = (finding, name) => name.split(".").reduce((value, key) => value?.[key], finding) ?? null;
  return partitions.flatMap((findings, PartitionIndex) =>
    findings.map((finding, FindingIndex) => ({
      ...{ PartitionIndex, FindingIndex },
      ...Object.fromEntries(names.map((name) => [name, valueIn(finding, name)])),
    })),
  );
}
