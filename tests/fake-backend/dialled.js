/** A scenario with dials, which add latency, failures and a rate limit, and change its size. */

import { sizes } from "./scenarios.js";

/** @typedef {import("./inspection.js").FindingsSize} FindingsSize */
/** @typedef {import("./inspection.js").Inspection} Inspection */
/** @typedef {import("./settings.js").Settings} Settings */

/** The share of a broken connection among the failures: each status and a broken connection are equally likely. */
const brokenShare = 1 / 5;

/** The scenarios whose behaviour is a latency, which the dials have. */
const latencies = ["slow", "jittered"];

/**
 * The options of a fake service with these settings.
 * @param {Settings} settings
 * @returns {import("inspection-findings/testing").FakeServiceOptions}
 */
export function dialledOptions(settings) {
  const { scenario, latency, jitter, errorRate, rateLimit, seed } = settings;
  const failing = errorRate / 100;
  return {
    seed,
    ...dialledInspection(settings),
    scenario: latencies.includes(scenario) ? "small" : scenario,
    faults: {
      latency,
      jitter,
      errorRate: failing * (1 - brokenShare),
      reset: failing * brokenShare,
      rateLimit: rateLimit === 0 ? undefined : rateLimit,
    },
  };
}

/**
 * The scenario's inspection with the number of sentiment findings on the dial, and topic findings in proportion.
 * @param {Settings} settings
 * @returns {Inspection | undefined} undefined if the scenario has no inspection
 */
export function dialledInspection({ scenario, findings, partitionSize }) {
  return scenario === "unknown-inspection" ? undefined : resize(sizes[scenario], findings, partitionSize);
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
    sentiment: size(findings, partitionSize),
    topics: size(Math.round(findings * topicsPerSentiment), partitionSize),
  };
}

/**
 * @param {number} findings
 * @param {number} partitionSize
 * @returns {FindingsSize}
 */
function size(findings, partitionSize) {
  return { findings, partitions: Math.ceil(findings / partitionSize) };
}
