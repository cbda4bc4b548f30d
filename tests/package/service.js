/** The service of packaged code: real HTTP, with the contract's three endpoints. */

import { serve } from "../http-server.js";

/** Lets pages of every origin send requests. */
const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "authorization, traceparent" };

/** The number of findings in each partition, by kind. */
const partitions = { Sentiment: [4, 0, 3], Topics: [2, 5] };

/** The inspection for which the service reports errors with status 200. */
export const refusedInspection = 13;

/** The inspection whose counts announce no totals, and whose partitions are enough for a worker. */
export const longInspection = 14;

/** The number of its partitions, by kind. */
const longPartitions = 5;

/** @typedef {keyof typeof partitions} ServiceKind */

/**
 * All findings of a kind, in order.
 * @param {ServiceKind} kind
 */
export function allFindings(kind) {
  return partitions[kind].flatMap((_, index) => findingsOf(kind, index));
}

/**
 * All findings of the long inspection, in order.
 * @param {ServiceKind} kind
 */
export function longFindings(kind) {
  return Array.from({ length: longPartitions }, (_, index) => findingsOf(kind, index, 2)).flat();
}

/** Starts the service on a free port. `requests` are the paths of all GET requests. */
export async function startService() {
  /** @type {string[]} */
  const requests = [];
  const { origin, close } = await serve(({ method, url }) => {
    if (method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
    const { pathname } = new URL(url);
    requests.push(pathname);
    const { status, body } = responseTo(pathname);
    return Response.json(body, { status, headers: cors });
  });
  return { baseUrl: `${origin}/cxi/`, requests, close };
}

/**
 * The paths that a call for one kind requests, the counts first.
 * @param {number} inspectionKey
 * @param {ServiceKind} kind
 */
export function pathsOf(inspectionKey, kind) {
  const inspection = `/cxi/Findings/${inspectionKey}`;
  return [inspection, ...partitions[kind].map((_, index) => `${inspection}/${kind}/${index}`)];
}

/**
 * @param {string} path
 * @returns {{ status: number, body: unknown }}
 */
function responseTo(path) {
  const [, inspection, kind, index] = path.match(/^\/cxi\/Findings\/(-?\d+)(?:\/(Sentiment|Topics)\/(\d+))?$/) ?? [];
  if (inspection === undefined) {
    return { status: 404, body: { errors: [`There is nothing at ${path}.`] } };
  }
  if (Number(inspection) === refusedInspection) {
    return { status: 200, body: { errors: ["The inspection is being analysed."] } };
  }
  const isLong = Number(inspection) === longInspection;
  if (kind === undefined) {
    return { status: 200, body: isLong ? longCounts() : counts() };
  }
  const ofKind = /** @type {ServiceKind} */ (kind);
  if (isLong) {
    return { status: 200, body: { Findings: findingsOf(ofKind, Number(index), 2), errors: null } };
  }
  return Number(index) < partitions[ofKind].length
    ? { status: 200, body: { Findings: findingsOf(ofKind, Number(index)), errors: null } }
    : { status: 404, body: { errors: ["PartitionIndex is out of range."] } };
}

function counts() {
  return {
    TopicPartitions: partitions.Topics.length,
    TopicFindings: allFindings("Topics").length,
    SentimentPartitions: partitions.Sentiment.length,
    SentimentFindings: allFindings("Sentiment").length,
    errors: null,
  };
}

function longCounts() {
  const [partitions, findings] = [longPartitions, null];
  return {
    TopicPartitions: partitions,
    TopicFindings: findings,
    SentimentPartitions: partitions,
    SentimentFindings: findings,
  };
}

/**
 * @param {ServiceKind} kind
 * @param {number} partition
 */
function findingsOf(kind, partition, length = partitions[kind][partition]) {
  return Array.from({ length }, (_, index) => ({
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
  }));
}
