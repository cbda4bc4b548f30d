/** The inspections of the fake backend: the scenario of each inspection key, and its size. */

/** @typedef {import("inspection-findings/testing").ScenarioName} ScenarioName */
/** @typedef {import("./inspection.js").Inspection} Inspection */

/** @satisfies {Record<ScenarioName, Inspection>} */
export const sizes = {
  small: { sentiment: { partitions: 3, findings: 250 }, topics: { partitions: 4, findings: 310 } },
  large: { sentiment: { partitions: 50, findings: 100_000 }, topics: { partitions: 60, findings: 120_000 } },
  empty: { sentiment: { partitions: 0, findings: 0 }, topics: { partitions: 0, findings: 0 } },
  slow: { sentiment: { partitions: 24, findings: 2_400 }, topics: { partitions: 18, findings: 1_800 } },
  jittered: { sentiment: { partitions: 30, findings: 6_000 }, topics: { partitions: 40, findings: 8_000 } },
  flaky: { sentiment: { partitions: 6, findings: 1_200 }, topics: { partitions: 8, findings: 1_600 } },
  "rate-limited": { sentiment: { partitions: 4, findings: 800 }, topics: { partitions: 5, findings: 1_000 } },
  "service-errors": { sentiment: { partitions: 4, findings: 400 }, topics: { partitions: 5, findings: 500 } },
  "wrong-total": { sentiment: { partitions: 3, findings: 300 }, topics: { partitions: 4, findings: 400 } },
  "broken-json": { sentiment: { partitions: 4, findings: 400 }, topics: { partitions: 5, findings: 500 } },
  "expired-token": { sentiment: { partitions: 6, findings: 900 }, topics: { partitions: 7, findings: 1_050 } },
  "unknown-inspection": { sentiment: { partitions: 0, findings: 0 }, topics: { partitions: 0, findings: 0 } },
};

const scenarioNames = /** @type {ScenarioName[]} */ (Object.keys(sizes));

/** The scenario by inspection key, from 1; every other key is an unknown inspection. @type {Readonly<Record<string, ScenarioName>>} */
export const scenarioByKey = Object.fromEntries(scenarioNames.slice(0, -1).map((name, index) => [index + 1, name]));
