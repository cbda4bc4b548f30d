/** A scenario with dials, which add latency, failures and a rate limit, and change its size. */

import { sizes } from "./scenarios.js";

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
 * @returns {import("./inspection.js").Inspection | undefined} undefined if the scenario has no inspection
 */
export function dialledInspection({ scenario, findings, partitionSize }) {
  if (scenario === "unknown-inspection") return undefined;
  const { sentiment, topics } = sizes[scenario];
  const topicsPerSentiment = sentiment.findings === 0 ? 1 : topics.findings / sentiment.findings;
  const sizeOf = (/** @type {number} */ findings) => ({ findings, partitions: Math.ceil(findings / partitionSize) });
  return { sentiment: sizeOf(findings), topics: sizeOf(Math.round(findings * topicsPerSentiment)) };
}
