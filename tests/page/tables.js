/** Tables of a test, loaded over a `fetch` in memory. */

import { freeAfterTest } from "./clients.js";
import { FindingsClient } from "./place.js";

/** @typedef {import("inspection-findings").Options} Options */
/** @typedef {import("inspection-findings").FindingsTable<any>} Table */

/**
 * A partition: its findings, or its body as it is.
 * @typedef {object[] | string | Uint8Array<ArrayBuffer>} Partition
 */

/** The body of a partition with these findings. @param {object[]} findings */
export function bodyOf(findings) {
  return JSON.stringify({ Findings: findings, errors: null });
}

/** A `fetch` with one inspection, whose partitions are the same for both kinds. @param {Partition[]} partitions */
export function fetchOf(partitions) {
  const encoder = new TextEncoder();
  const counts = encoder.encode(
    JSON.stringify({ TopicPartitions: partitions.length, SentimentPartitions: partitions.length, errors: null }),
  );
  const encoded = new Map();
  const bytesOf = (/** @type {Partition} */ partition) => {
    if (partition instanceof Uint8Array) return partition;
    const known = encoded.get(partition) ?? encoder.encode(Array.isArray(partition) ? bodyOf(partition) : partition);
    encoded.set(partition, known);
    return known;
  };
  return /** @type {any} */ (
    async (/** @type {string} */ href) => {
      const index = href.match(/\/(?:Topics|Sentiment)\/(\d+)$/)?.[1];
      const bytes = index === undefined ? counts : bytesOf(partitions[Number(index)]);
      return { status: 200, headers: new Headers(), arrayBuffer: async () => bytes.buffer };
    }
  );
}

/**
 * Loads the table of an inspection with these partitions. It is freed after the test at the latest.
 * @param {Partition[]} partitions
 * @param {Options} [options]
 * @returns {Promise<Table>}
 */
export async function load(partitions, options) {
  using client = new FindingsClient({ fetch: fetchOf(partitions), ...options });
  return freeAfterTest(await client.loadTable(1, "topics"));
}

/** Loads the table of an inspection with these findings in one partition. @param {object[] | string} findings */
export function tableOf(findings) {
  return load([typeof findings === "string" ? `{"Findings":${findings}}` : findings]);
}

/** A finding as an inspection has it. @param {number} number */
export function likelyFinding(number) {
  return {
    VariableKey: 7,
    RespondentKey: 100_000 + number,
    RespondentId: `R-${number}`,
    StringKey: 5_000 + Math.floor(number / 4),
    TopicGroup: number % 5 === 0 ? null : `Group ${number % 7}`,
    ExpressionGroup: number % 3 === 0 ? null : "Praise",
    Comment: `Comment ${Math.floor(number / 4)}: the rooms were bright and quiet, the café a little small, and at the desk nobody knew of us, ${"which is how it often goes, ".repeat(number % 4)}they said.`,
    Topic: { Text: `Topic ${number % 40}`, Start: number % 200, Length: 8 },
    Expression: { Text: "bright and quiet", Start: 31, Length: 16 },
    Extract: { Text: "the rooms were bright and quiet", Start: 16, Length: 31 },
    Sentiment: (number % 5) - 2,
  };
}

/** Findings with different numbers, as an inspection has them. @param {number} count @param {number} [from] */
export function likelyFindings(count, from = 0) {
  return Array.from({ length: count }, (_, number) => likelyFinding(from + number));
}

/** Every use of a table of such findings. @type {Record<string, (table: Table) => unknown>} */
export const uses = {
  length: (table) => table.length,
  byteLength: (table) => table.byteLength,
  columns: (table) => table.columns,
  columnsTruncated: (table) => table.columnsTruncated,
  findingsWithoutColumns: (table) => table.findingsWithoutColumns,
  integersRounded: (table) => table.integersRounded,
  at: (table) => table.at(-1),
  slice: (table) => table.slice(0, 300),
  "slice of nothing": (table) => table.slice(0, 0),
  toArray: (table) => table.toArray(),
  iteration: (table) => [...table],
  column: (table) => table.column("Comment"),
  numbers: (table) => table.numbers("Sentiment"),
  countBy: (table) => table.countBy("Comment", "Sentiment"),
  summarize: (table) => table.summarize(["TopicGroup"], "Sentiment"),
  filter: (table) => table.filter({ Comment: { contains: "CAFÉ" }, Sentiment: { min: 0 } }).free(),
  sortBy: (table) => table.sortBy("Comment").free(),
};
