/** The service of the soak test: the fake backend inside the page with random faults, and the expected results. */

import { partitionSize } from "../../fake-backend/inspection.js";
import { json, refusal } from "../../fake-backend/responses.js";
import { KeyedService } from "../../fake-backend/service.js";
import { Random } from "../../random.js";
import { pause } from "./resources.js";

/** @typedef {import("../../fake-backend/inspection.js").Inspection} Inspection */
/** @typedef {"sentiment" | "topics"} Kind */

/**
 * A fault of a response, with the codes of the errors that it may cause. Late responses and small pieces cause none.
 * @typedef {object} Fault
 * @property {readonly string[]} codes
 * @property {(response: Response, random: Random, signal: AbortSignal) => unknown} spoil
 */

export const baseUrl = "https://service.test/cxi/";

/** @type {Record<number, Inspection>} by key; the last one is the largest */
export const inspections = {
  1: { sentiment: { partitions: 0, findings: 0 }, topics: { partitions: 1, findings: 1 } },
  2: { sentiment: { partitions: 1, findings: 40 }, topics: { partitions: 3, findings: 100 } },
  3: { sentiment: { partitions: 7, findings: 700 }, topics: { partitions: 12, findings: 500 } },
  4: { sentiment: { partitions: 20, findings: 200 }, topics: { partitions: 4, findings: 2_000 } },
  5: { sentiment: { partitions: 8, findings: 4_000 }, topics: { partitions: 10, findings: 4_000 } },
};

export const largest = 5;

const service = new KeyedService({
  baseUrl,
  optionsOf: (inspectionKey) => ({ seed: Number(inspectionKey), ...inspections[Number(inspectionKey)] }),
});

/** @satisfies {Record<string, Fault>} */
const faults = {
  refused: { codes: ["network"], spoil: () => Promise.reject(new TypeError("Failed to fetch")) },
  "refused by text": { codes: ["network"], spoil: () => Promise.reject("offline") },
  "no valid response": { codes: ["network"], spoil: () => ({}) },
  "no response": { codes: ["timeout"], spoil: (_response, _random, signal) => untilAborted(signal) },
  "no response, and no abort": { codes: ["timeout"], spoil: () => new Promise(() => {}) },
  stumbling: { codes: ["http"], spoil: (_, random) => refusal(random.oneOf([408, 500, 502, 503, 504]), "Ask again.") },
  "not found": { codes: ["http"], spoil: () => refusal(404, "There is nothing.") },
  redirect: { codes: ["http"], spoil: () => new Response(null, { status: 302 }) },
  busy: {
    codes: ["http"],
    spoil: (_, random) => refusal(429, "Too many requests.", { "retry-after": random.oneOf(["0", "0", "1", "x"]) }),
  },
  expired: { codes: ["unauthorized"], spoil: () => refusal(401, "The token has expired.") },
  forbidden: { codes: ["unauthorized"], spoil: () => refusal(403, "This is not for you.") },
  errors: { codes: ["service"], spoil: () => json({ Findings: [{ a: 1 }], errors: ["The analysis has failed."] }) },
  "no findings": { codes: ["decode"], spoil: () => json({ errors: null }) },
  "not UTF-8": { codes: ["decode"], spoil: () => new Response(new Uint8Array([0x22, 0xff, 0x22])) },
  "cut off": { codes: ["decode"], spoil: async (response, random) => new Response(await cutOff(response, random)) },
  "connection broken": { codes: ["network"], spoil: (response, random) => inPieces(response, random, "broken") },
  "connection stalled": { codes: ["timeout"], spoil: (response, random) => inPieces(response, random, "stalled") },
  "in pieces": { codes: [], spoil: (response, random) => inPieces(response, random, "complete") },
  late: { codes: [], spoil: (response, random) => pause(random.integer(1, 30)).then(() => response) },
};

const faultNames = /** @type {(keyof typeof faults)[]} */ (Object.keys(faults));

/**
 * A `fetch` with faults of this probability, which depend only on the seeds and the address.
 * @param {object} target
 * @param {(string | number)[]} target.seeds
 * @param {number} target.probability
 * @param {(code: string) => void} target.mayCause called with each code of an error that a fault may cause
 */
export function faultyFetch({ seeds, probability, mayCause }) {
  /** @type {Map<string, number>} */
  const visits = new Map();
  const fetch = async (/** @type {string} */ href, /** @type {{ signal: AbortSignal }} */ { signal }) => {
    const visit = (visits.get(href) ?? 0) + 1;
    visits.set(href, visit);
    const random = new Random(...seeds, href, visit);
    const response = await service.respond(new Request(href));
    // What the service remembers would count as a leak.
    service.reset();
    if (!random.chance(probability)) return response;
    /** @type {Fault} */
    const fault = faults[random.oneOf(faultNames)];
    for (const code of fault.codes) mayCause(code);
    return fault.spoil(response, random, signal);
  };
  return /** @type {any} */ (fetch);
}

/** @type {Map<string, string>} */
const texts = new Map();

/**
 * The expected result of a retrieval, as JSON.
 * @param {number} inspectionKey
 * @param {Kind} kind
 * @param {number} [index] of one partition; all by default
 */
export function correctResult(inspectionKey, kind, index) {
  return /** @type {string} */ (texts.get([inspectionKey, kind, index].join("/")));
}

/** Computes all expected results, so that their memory is allocated before the measurement. */
export function readCorrectResults() {
  for (const [inspectionKey, inspection] of Object.entries(inspections)) {
    for (const kind of /** @type {const} */ (["sentiment", "topics"])) {
      const findings = service.findings(inspectionKey, kind);
      texts.set(`${inspectionKey}/${kind}/`, JSON.stringify(findings));
      let start = 0;
      for (let index = 0; index < inspection[kind].partitions; index++) {
        const end = start + partitionSize(inspection[kind], index);
        texts.set(`${inspectionKey}/${kind}/${index}`, JSON.stringify(findings.slice(start, end)));
        start = end;
      }
    }
  }
}

/** @param {number} inspectionKey */
export function correctCounts(inspectionKey) {
  const { sentiment, topics } = inspections[inspectionKey];
  return JSON.stringify({ sentiment, topics });
}

/** @param {AbortSignal} signal */
function untilAborted(signal) {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

/**
 * @param {Response} response
 * @param {Random} random
 */
async function cutOff(response, random) {
  const bytes = await response.arrayBuffer();
  return bytes.slice(0, random.integer(0, bytes.byteLength - 1));
}

/**
 * The response in pieces, some of which are late.
 * @param {Response} response
 * @param {Random} random
 * @param {"complete" | "broken" | "stalled"} end
 */
async function inPieces(response, random, end) {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const until = end === "complete" ? bytes.length : random.integer(0, bytes.length - 1);
  let at = 0;
  const body = new ReadableStream(
    {
      async pull(controller) {
        if (random.chance(0.2)) {
          await pause(random.integer(0, 5));
        }
        const next = Math.min(until, at + random.integer(1, 1 + (bytes.length >> 2)));
        if (at < next) {
          controller.enqueue(bytes.slice(at, next));
          at = next;
        } else if (end === "complete") {
          controller.close();
        } else if (end === "broken") {
          controller.error(new TypeError("The connection is broken."));
        } else {
          await new Promise(() => {});
        }
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: response.headers });
}
