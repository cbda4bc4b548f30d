/** A scenario with dials, which add latency, failures and a rate limit, and change its size. */

import { RateLimit } from "./rate-limit.js";
import { refusal } from "./scenario.js";
import { scenarios } from "./scenarios.js";

/** @typedef {import("./inspection.js").Extent} Extent */
/** @typedef {import("./inspection.js").Inspection} Inspection */
/** @typedef {import("./random.js").Random} Random */
/** @typedef {import("./scenario.js").Scenario} Scenario */
/** @typedef {import("./settings.js").Settings} Settings */

/** The kinds of failures, each equally likely. */
const failures = [
  () => refusal(500, "The service stumbled. Ask again."),
  () => refusal(502, "What stands before the service got no answer from it."),
  () => refusal(503, "The service is too busy just now."),
  () => refusal(504, "The service took too long."),
  () => Response.error(),
];

/**
 * Failures and latencies depend on the seed, the address and the number of requests for it. Only the rate limit uses the clock,
 * from the first request on.
 * @param {Settings} settings
 * @returns {Scenario}
 */
export function dialledScenario(settings) {
  const { scenario, latency, jitter, errorRate, rateLimit } = settings;
  /** @type {Scenario} */
  const { answer } = scenarios[scenario];
  const limit = new RateLimit(rateLimit);
  return {
    inspection: dialledInspection(settings),
    latency: ({ random }) => latency + random.integer(0, jitter),
    answer: (visit) => {
      const failure = failureOf(visit.random, errorRate);
      return limit.refuses(performance.now())
        ? refusal(429, "Too many requests.", { "retry-after": "1" })
        : (failure ?? answer?.(visit) ?? visit.truth());
    },
  };
}

/**
 * The scenario's inspection with the number of sentiment findings on the dial, and topic findings in proportion.
 * @param {Settings} settings
 * @returns {Inspection | undefined} undefined if the scenario has no inspection
 */
export function dialledInspection({ scenario, findings, partitionSize }) {
  /** @type {Scenario} */
  const { inspection } = scenarios[scenario];
  return inspection && resize(inspection, findings, partitionSize);
}

/**
 * @param {Inspection} inspection
 * @param {number} findings
 * @param {number} partitionSize
 * @returns {Inspection}
 */
function resize({ sentiment, topics }, findings, partitionSize) {
  const topicsPerSentiment = sentiment.findings === 0 ? 1 : topics.findings / sentiment.findings;
  return {
    sentiment: extent(findings, partitionSize),
    topics: extent(Math.round(findings * topicsPerSentiment), partitionSize),
  };
}

/**
 * @param {number} findings
 * @param {number} partitionSize
 * @returns {Extent}
 */
function extent(findings, partitionSize) {
  return { findings, partitions: Math.ceil(findings / partitionSize) };
}

/**
 * @param {Random} random
 * @param {number} errorRate
 */
function failureOf(random, errorRate) {
  return random.chance(errorRate / 100) ? random.oneOf(failures)() : undefined;
}
