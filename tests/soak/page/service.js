/** The service of the soak: the fake one in the page itself, with faults at random, and the truth to compare with. */

import { Bodies } from "../../fake-backend/bodies.js";
import { makeFindings } from "../../fake-backend/findings.js";
import { countsOf, partitionSize } from "../../fake-backend/inspection.js";
import { Random } from "../../fake-backend/random.js";
import { json, refusal } from "../../fake-backend/scenario.js";
import { FakeService } from "../../fake-backend/service.js";
import { pause } from "./resources.js";

/** @typedef {import("../../fake-backend/inspection.js").Inspection} Inspection */
/** @typedef {"sentiment" | "topics"} Kind */

/**
 * What can go wrong with an answer, and the codes of the errors that it may come to; an answer that is only late or comes
 * in small pieces comes to none.
 * @typedef {object} Fault
 * @property {readonly string[]} codes
 * @property {(truth: Response, random: Random, signal: AbortSignal) => unknown} spoil
 */

const seed = 1;

export const baseUrl = "https://service.test/cxi/";

/** @type {Record<number, Inspection>} by their keys; the last one is the largest */
export const inspections = {
  1: { sentiment: { partitions: 0, findings: 0 }, topics: { partitions: 1, findings: 1 } },
  2: { sentiment: { partitions: 1, findings: 40 }, topics: { partitions: 3, findings: 100 } },
  3: { sentiment: { partitions: 7, findings: 700 }, topics: { partitions: 12, findings: 500 } },
  4: { sentiment: { partitions: 20, findings: 200 }, topics: { partitions: 4, findings: 2_000 } },
  5: { sentiment: { partitions: 8, findings: 4_000 }, topics: { partitions: 10, findings: 4_000 } },
};

export const largest = 5;

const service = new FakeService({
  baseUrl: new URL(baseUrl),
  seed,
  bodies: new Bodies(seed),
  scenarioOf: (inspectionKey) => ({ inspection: inspections[Number(inspectionKey)] }),
});

/** @satisfies {Record<string, Fault>} */
const faults = {
  refused: { codes: ["network"], spoil: () => Promise.reject(new TypeError("Failed to fetch")) },
  "refused by text": { codes: ["network"], spoil: () => Promise.reject("offline") },
  "no response": { codes: ["network"], spoil: () => ({}) },
  "no answer": { codes: ["timeout"], spoil: (_truth, _random, signal) => untilAborted(signal) },
  "no answer, and deaf": { codes: ["timeout"], spoil: () => new Promise(() => {}) },
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
  "cut off": { codes: ["decode"], spoil: async (truth, random) => new Response(await cutOff(truth, random)) },
  "connection broken": { codes: ["network"], spoil: (truth, random) => inPieces(truth, random, "broken") },
  "connection stalled": { codes: ["timeout"], spoil: (truth, random) => inPieces(truth, random, "stalled") },
  "in pieces": { codes: [], spoil: (truth, random) => inPieces(truth, random, "complete") },
  late: { codes: [], spoil: (truth, random) => pause(random.integer(1, 30)).then(() => truth) },
};

const faultNames = /** @type {(keyof typeof faults)[]} */ (Object.keys(faults));

/**
 * A `fetch` that is at fault with that probability, at the same addresses in the same way for the same seeds.
 * @param {object} wanted
 * @param {(string | number)[]} wanted.seeds
 * @param {number} wanted.probability
 */
export function faultyFetch({ seeds, probability }) {
  /** @type {Map<string, number>} */
  const visits = new Map();
  /** @type {Set<string>} codes that the faults so far may come to */
  const codes = new Set();
  const fetch = async (/** @type {string} */ href, /** @type {{ signal: AbortSignal }} */ { signal }) => {
    const visit = (visits.get(href) ?? 0) + 1;
    visits.set(href, visit);
    const random = new Random(...seeds, href, visit);
    const truth = await service.answer(new Request(href));
    if (!random.chance(probability)) {
      return truth;
    }
    /** @type {Fault} */
    const fault = faults[random.oneOf(faultNames)];
    for (const code of fault.codes) {
      codes.add(code);
    }
    return fault.spoil(truth, random, signal);
  };
  return { fetch: /** @type {any} */ (fetch), codes };
}

/** @type {Map<string, string>} */
const texts = new Map();

/**
 * What a retrieval has to give, as JSON.
 * @param {number} inspectionKey
 * @param {Kind} kind
 * @param {number} [index] of one partition; left out: all of them
 */
export function truthOf(inspectionKey, kind, index) {
  const name = [inspectionKey, kind, index].join("/");
  const text = texts.get(name) ?? JSON.stringify(findingsOf(inspectionKey, kind, index));
  texts.set(name, text);
  return text;
}

/** Works out all that retrievals may have to give, so that it takes its memory before anything is measured. */
export function knowTheTruth() {
  for (const [inspectionKey, inspection] of Object.entries(inspections)) {
    for (const kind of /** @type {const} */ (["sentiment", "topics"])) {
      truthOf(Number(inspectionKey), kind);
      for (let index = 0; index < inspection[kind].partitions; index++) {
        truthOf(Number(inspectionKey), kind, index);
      }
    }
  }
}

/** @param {number} inspectionKey */
export function trueCounts(inspectionKey) {
  const { SentimentPartitions, SentimentFindings, TopicPartitions, TopicFindings } = countsOf(
    inspections[inspectionKey],
  );
  return JSON.stringify({
    sentiment: { partitions: SentimentPartitions, findings: SentimentFindings },
    topics: { partitions: TopicPartitions, findings: TopicFindings },
  });
}

/**
 * @param {number} inspectionKey
 * @param {Kind} kind
 * @param {number} [index]
 */
function findingsOf(inspectionKey, kind, index) {
  const extent = inspections[inspectionKey][kind];
  const indexes = index === undefined ? Array.from({ length: extent.partitions }, (_, place) => place) : [index];
  return indexes.flatMap((partitionIndex) => {
    const count = partitionSize(extent, partitionIndex);
    return makeFindings({ seed, inspectionKey: String(inspectionKey), kind, partitionIndex, count });
  });
}

/** @param {AbortSignal} signal */
function untilAborted(signal) {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

/**
 * @param {Response} truth
 * @param {Random} random
 */
async function cutOff(truth, random) {
  const bytes = await truth.arrayBuffer();
  return bytes.slice(0, random.integer(0, bytes.byteLength - 1));
}

/**
 * The answer in pieces, which come late now and then.
 * @param {Response} truth
 * @param {Random} random
 * @param {"complete" | "broken" | "stalled"} end
 */
async function inPieces(truth, random, end) {
  const bytes = new Uint8Array(await truth.arrayBuffer());
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
  return new Response(body, { headers: truth.headers });
}
