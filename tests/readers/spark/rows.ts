/** The rows that a data frame has to have. */

const documented = [
  ...["VariableKey", "RespondentKey", "RespondentId", "StringKey", "TopicGroup", "ExpressionGroup"],
  ...["NoTopic", "NoExpression", "Comment"],
];

/** The rows of findings, in the order of the inspection. */
export function rowsOf(
  partitions: object[][],
  kind: import("inspection-findings").FindingKind,
  further: string[] = [],
) {
  const names = [...documented, ...(kind === "sentiment" ? ["Sentiment"] : []), ...further];
  const valueIn: (finding: any, name: string) => unknown = (finding, name) =>
    name.split(".").reduce((value, key) => value?.[key], finding) ?? null;
  return partitions.flatMap((findings, PartitionIndex) =>
    findings.map((finding, FindingIndex) => ({
      ...{ PartitionIndex, FindingIndex },
      ...Object.fromEntries(names.map((name) => [name, valueIn(finding, name)])),
    })),
  );
}
