/** The scenarios of the built-in service. */

import type { FindingsSize, ScenarioName } from "inspection-findings/testing";

interface DemoScenario {
  title: string;
  about: string;
  /** The numbers of findings of the story; undefined for invented findings of the package. */
  size?: FindingsSize | undefined;
  /** The behaviour, if it is one of the package. */
  scenario?: ScenarioName;
  /** The milliseconds before each response. */
  latency?: number;
  /** The milliseconds between two responses: the service handles one request after the other. */
  pace?: number;
  /** Whether the first token expires as soon as the counts are read. */
  isExpired?: boolean;
}

function of(
  title: string,
  about: string,
  size: [number, number] | undefined,
  more: Partial<DemoScenario>,
): DemoScenario {
  return { title, about, size: size && { findings: size[0], partitions: size[1] }, ...more };
}

const story = "Invented: a hotel group asks its guests for twelve weeks. In week 7, it updates its mobile app.";
const languages = "Invented: 100,000 findings in English, German, French and Japanese.";
const jittered = "Responses take 10 to 500 ms. The findings stay in order.";
const slow = "Every response takes 700 ms: time enough to cancel.";
const flaky = "The first response to each request is a 500. The package retries.";
const limited = "The first response to each request is a 429 with a pause of 1 s.";
const expired = "The token expires after the first response. One renewal is enough.";
const failing = "One partition reports errors, although its status is 200.";
const total = "The service announces one finding more than it sends.";
const unknown = "The service has no inspection with this key.";

export const scenarios = {
  story: of("The mobile app since the update", story, [100_000, 50], {}),
  languages: of("Comments in several languages", languages, undefined, { scenario: "large" }),
  jittered: of("Responses overtake each other", jittered, [6_000, 30], { scenario: "jittered" }),
  slow: of("A slow service", slow, [2_400, 24], { scenario: "slow" }),
  flaky: of("Every request fails once", flaky, [2_400, 12], { scenario: "flaky" }),
  "rate-limited": of("Too many requests", limited, [2_400, 6], { scenario: "rate-limited" }),
  "expired-token": of("An expired token", expired, [24_000, 12], { latency: 200, isExpired: true }),
  "service-errors": of("A partition with errors", failing, [2_000, 10], { scenario: "service-errors" }),
  "broken-json": of("A broken response", "The JSON of one partition ends too early.", [2_000, 10], {
    scenario: "broken-json",
  }),
  "wrong-total": of("A wrong total", total, [2_000, 10], { scenario: "wrong-total" }),
  empty: of("An empty inspection", "The inspection has no findings yet.", undefined, { scenario: "empty" }),
  "unknown-inspection": of("An unknown inspection", unknown, undefined, { scenario: "unknown-inspection" }),
  comparison: of("The comparison", "", [16_000, 64], { pace: 30 }),
};

export type ScenarioId = keyof typeof scenarios;

/** The scenarios that a reader can choose. */
export const listed = (Object.keys(scenarios) as ScenarioId[]).filter((id) => id !== "comparison");

/** The URL of the service in a scenario: the browser keeps the tables of each URL apart. */
export function urlOf(scenario: ScenarioId): string {
  return `https://findings.test/${scenario}/`;
}
