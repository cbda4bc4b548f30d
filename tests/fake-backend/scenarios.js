/** The named scenarios, and the inspection keys under which the service has them. */

import { countsOf } from "./inspection.js";
import { json, rawJson, refusal } from "./scenario.js";

/** @typedef {import("./scenario.js").Scenario} Scenario */
/** @typedef {import("./scenario.js").Visit} Visit */

/** The valid and the expired token of the scenario `expired-token`. */
export const tokens = { expired: "expired-token", renewed: "renewed-token" };

/** @satisfies {Record<string, Scenario>} */
export const scenarios = {
  /** Few findings, without latency. */
  small: {
    inspection: { sentiment: { partitions: 3, findings: 250 }, topics: { partitions: 4, findings: 310 } },
  },
  /** At least a hundred thousand findings. */
  large: {
    inspection: { sentiment: { partitions: 50, findings: 100_000 }, topics: { partitions: 60, findings: 120_000 } },
  },
  /** No findings and no partitions. */
  empty: {
    inspection: { sentiment: { partitions: 0, findings: 0 }, topics: { partitions: 0, findings: 0 } },
  },
  /** Every response is slow. */
  slow: {
    inspection: { sentiment: { partitions: 24, findings: 2_400 }, topics: { partitions: 18, findings: 1_800 } },
    latency: () => 700,
  },
  /** Responses overtake each other. */
  jittered: {
    inspection: { sentiment: { partitions: 30, findings: 6_000 }, topics: { partitions: 40, findings: 8_000 } },
    latency: ({ random }) => random.integer(10, 500),
  },
  /** Every address answers 500 once, then correctly. */
  flaky: {
    inspection: { sentiment: { partitions: 6, findings: 1_200 }, topics: { partitions: 8, findings: 1_600 } },
    answer: ({ count, truth }) => (count === 1 ? refusal(500, "The service stumbled. Ask again.") : truth()),
  },
  /** Every address answers 429 with `Retry-After: 1` once, then correctly. */
  "rate-limited": {
    inspection: { sentiment: { partitions: 4, findings: 800 }, topics: { partitions: 5, findings: 1_000 } },
    answer: ({ count, truth }) => (count === 1 ? refusal(429, "Too many requests.", { "retry-after": "1" }) : truth()),
  },
  /** The second partition has `errors` with status 200. */
  "service-errors": {
    inspection: { sentiment: { partitions: 4, findings: 400 }, topics: { partitions: 5, findings: 500 } },
    answer: ({ operation, truth }) =>
      operation.partition?.index === 1
        ? json({ Findings: [], errors: ["The analysis of this partition has failed.", "Start the analysis anew."] })
        : truth(),
  },
  /** The totals are one too high. */
  "wrong-total": {
    inspection: { sentiment: { partitions: 3, findings: 300 }, topics: { partitions: 4, findings: 400 } },
    answer: ({ operation, inspection, truth }) =>
      operation.partition === undefined ? json(oneTooMany(inspection)) : truth(),
  },
  /** The body of the second partition ends inside a finding. */
  "broken-json": {
    inspection: { sentiment: { partitions: 4, findings: 400 }, topics: { partitions: 5, findings: 500 } },
    answer: ({ operation, truth }) =>
      operation.partition?.index === 1 ? rawJson('{"Findings":[{"VariableKey":7001,"RespondentKey":500') : truth(),
  },
  /** Answers 401 until the headers carry the renewed token, as `Authorization` (plain or Bearer) or as `authentication`. */
  "expired-token": {
    inspection: { sentiment: { partitions: 6, findings: 900 }, topics: { partitions: 7, findings: 1_050 } },
    answer: ({ headers, truth }) =>
      tokenOf(headers) === tokens.renewed ? truth() : refusal(401, "The token has expired."),
  },
  /** The service has no such inspection. */
  "unknown-inspection": {},
};

/** @typedef {keyof typeof scenarios} ScenarioName */

/** @type {Readonly<Record<string, ScenarioName>>} The scenario by inspection key; every other key is an unknown inspection. */
export const scenarioByKey = {
  1: "small",
  2: "large",
  3: "empty",
  4: "slow",
  5: "jittered",
  6: "flaky",
  7: "rate-limited",
  8: "service-errors",
  9: "wrong-total",
  10: "broken-json",
  11: "expired-token",
};

/** @param {import("./inspection.js").Inspection} inspection */
function oneTooMany(inspection) {
  const counts = countsOf(inspection);
  return { ...counts, TopicFindings: counts.TopicFindings + 1, SentimentFindings: counts.SentimentFindings + 1 };
}

/** @param {Headers} headers */
function tokenOf(headers) {
  return headers.get("authentication") ?? headers.get("authorization")?.replace(/^Bearer /, "");
}
