/** The service of packaged code: a fake service over real HTTP, with findings that tell where they come from. */

import { serveFake } from "../service/http-server.js";

/** Lets pages of every origin send requests. */
const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "authorization, traceparent" };

/** The number of findings in each partition, by kind. */
const sizes = { Sentiment: [4, 0, 3], Topics: [2, 5] };

/** @typedef {keyof typeof sizes} ServiceKind */

/** The inspection for which the service reports errors with status 200. */
export const refusedInspection = 13;

/** The inspection whose counts announce no totals, and whose partitions are enough for a worker. */
export const longInspection = 14;

/** The number of partitions of each kind of the long inspection, of two findings each. */
const longPartitions = 5;
const longLengths = Array(longPartitions).fill(2);

/**
 * All findings of a kind, in order.
 * @param {ServiceKind} kind
 */
export function allFindings(kind) {
  return partitionsOf(kind).flat();
}

/**
 * All findings of the long inspection, in order.
 * @param {ServiceKind} kind
 */
export function longFindings(kind) {
  return partitionsOf(kind, longLengths).flat();
}

/** Starts the service on a free port. `requests` are the paths of all GET requests. */
export async function startService() {
  /** @type {string[]} */
  const requests = [];
  const { fake, close } = await serveFake(
    { sentiment: partitionsOf("Sentiment"), topics: partitionsOf("Topics"), scenario: { respond } },
    ({ url }) => requests.push(new URL(url).pathname),
    cors,
  );
  return { baseUrl: fake.baseUrl, requests, close };
}

/** @param {import("inspection-findings/testing").FakeRequest} request */
function respond({ inspectionKey, kind, partitionIndex }) {
  if (inspectionKey === String(refusedInspection)) {
    return Response.json({ errors: ["The inspection is being analysed."] });
  }
  if (inspectionKey !== String(longInspection)) return undefined;
  if (kind === undefined)
    return Response.json({ TopicPartitions: longPartitions, SentimentPartitions: longPartitions });
  const partitions = partitionsOf(kind === "topics" ? "Topics" : "Sentiment", longLengths);
  return Response.json({ Findings: partitions[Number(partitionIndex)], errors: null });
}

/**
 * The paths that a call for one kind requests, the counts first.
 * @param {number} inspectionKey
 * @param {ServiceKind} kind
 */
export function pathsOf(inspectionKey, kind) {
  const inspection = `/cxi/Findings/${inspectionKey}`;
  return [inspection, ...sizes[kind].map((_, index) => `${inspection}/${kind}/${index}`)];
}

/**
 * @param {ServiceKind} kind
 * @returns {any[][]}
 */
function partitionsOf(kind, findings = sizes[kind]) {
  return findings.map((length, partition) =>
    Array.from({ length }, (_, index) => ({
      VariableKey: 7,
      RespondentKey: partition * 100 + index,
      StringKey: partition * 1000 + index,
      RespondentId: `R-${partition}-${index}`,
      TopicGroup: index % 2 === 0 ? "Größe" : null,
      ExpressionGroup: null,
      NoTopic: index === 0,
      Comment: `„Très bon“, 非常に良い 👍 – ${kind} ${partition}/${index}`,
      Topic: { Text: "/PositiveSentiment/", Start: -1 },
      Expression: { Text: "bon" },
      Extract: { Text: "Très bon" },
      ...(kind === "Sentiment" ? { Sentiment: (index % 5) - 2 } : {}),
    })),
  );
}
