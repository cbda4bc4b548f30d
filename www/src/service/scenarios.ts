/** The scenarios of the built-in service. */

import type { FindingsSize, ScenarioName } from "inspection-findings/testing";

interface DemoScenario {
  title: string;
  about: string;
  /** The numbers of findings of the story; undefined for invented findings of the package. */
  size?: FindingsSize;
  /** The behaviour, if it is one of the package. */
  scenario?: ScenarioName;
  /** The milliseconds before each response. */
  latency?: number;
  /** The milliseconds between two responses: the service handles one request after the other. */
  pace?: number;
  /** Whether the first token expires as soon as the counts are read. */
  isExpired?: boolean;
}

function scenario(title: string, about: string, more: Partial<DemoScenario> = {}): DemoScenario {
  return { title, about, ...more };
}

const size = (findings: number, partitions: number) => ({ findings, partitions });

export const scenarios = {
  story: scenario(
    "The mobile app since the update",
    "Invented: a hotel group asks its guests for twelve weeks. In week 7, it updates its mobile app.",
    { size: size(100_000, 50) },
  ),
  languages: scenario(
    "Comments in several languages",
    "Invented: 100,000 findings in English, German, French and Japanese.",
    {
      scenario: "large",
    },
  ),
  jittered: scenario("Responses overtake each other", "Responses take 10 to 500 ms. The findings stay in order.", {
    size: size(6_000, 30),
    scenario: "jittered",
  }),
  slow: scenario("A slow service", "Every response takes 700 ms: time enough to cancel.", {
    size: size(2_400, 24),
    scenario: "slow",
  }),
  flaky: scenario("Every request fails once", "The first response to each request is a 500. The package retries.", {
    size: size(2_400, 12),
    scenario: "flaky",
  }),
  "rate-limited": scenario("Too many requests", "The first response to each request is a 429 with a pause of 1 s.", {
    size: size(2_400, 6),
    scenario: "rate-limited",
  }),
  "expired-token": scenario("An expired token", "The token expires after the first response. One renewal is enough.", {
    size: size(24_000, 12),
    latency: 200,
    isExpired: true,
  }),
  "service-errors": scenario("A partition with errors", "One partition reports errors, although its status is 200.", {
    size: size(2_000, 10),
    scenario: "service-errors",
  }),
  "broken-json": scenario("A broken response", "The JSON of one partition ends too early.", {
    size: size(2_000, 10),
    scenario: "broken-json",
  }),
  "wrong-total": scenario("A wrong total", "The service announces one finding more than it sends.", {
    size: size(2_000, 10),
    scenario: "wrong-total",
  }),
  empty: scenario("An empty inspection", "The inspection has no findings yet.", { scenario: "empty" }),
  "unknown-inspection": scenario("An unknown inspection", "The service has no inspection with this key.", {
    scenario: "unknown-inspection",
  }),
  comparison: scenario("The comparison", "", { size: size(16_000, 64), pace: 30 }),
};

export type ScenarioId = keyof typeof scenarios;

/** The scenarios that a reader can choose. */
export const listed = (Object.keys(scenarios) as ScenarioId[]).filter((id) => id !== "comparison");
