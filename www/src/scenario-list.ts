/** The scenarios of the built-in service, in words, and the inspections under which they are found. */

import { type ScenarioName, scenarioByKey } from "../../tests/fake-backend/scenarios.js";

export interface ListedScenario {
  name: ScenarioName;
  inspectionKey: string;
  title: string;
  about: string;
}

const words: Record<ScenarioName, { title: string; about: string }> = {
  small: { title: "Small", about: "A few findings in a few partitions." },
  large: { title: "Large", about: "A hundred thousand findings in large partitions." },
  empty: { title: "Empty", about: "An inspection that has found nothing." },
  slow: { title: "Slow", about: "Every answer takes its time: long enough to cancel." },
  jittered: {
    title: "Jittered order",
    about: "Answers overtake each other; the findings come out in order all the same.",
  },
  flaky: { title: "Flaky", about: "Every request fails once with status 500, and is then asked again." },
  "rate-limited": {
    title: "Rate-limited",
    about: "Every request is turned down once with status 429, and asked again after a pause.",
  },
  "service-errors": {
    title: "Service errors",
    about: "One partition reports errors, with a status that says all is well.",
  },
  "wrong-total": { title: "Wrong total", about: "The service announces one finding more than it has." },
  "broken-json": { title: "Broken JSON", about: "One partition breaks off in the middle." },
  "expired-token": {
    title: "Expired token",
    about: "The token has run out. It is renewed on the way, and nothing is lost.",
  },
  "unknown-inspection": { title: "Unknown inspection", about: "The service has no inspection of that number." },
};

/** Any key that the service does not know will do. */
const unknown: ListedScenario = {
  name: "unknown-inspection",
  inspectionKey: "404",
  ...words["unknown-inspection"],
};

export const listedScenarios: readonly ListedScenario[] = [
  ...Object.entries(scenarioByKey).map(([inspectionKey, name]) => ({ name, inspectionKey, ...words[name] })),
  unknown,
];

/** What the built-in service does when it is asked for that inspection. */
export function scenarioOf(inspectionKey: string): ListedScenario {
  return listedScenarios.find((scenario) => scenario.inspectionKey === inspectionKey) ?? unknown;
}

/** The scenario of that name. */
export function scenarioNamed(name: ScenarioName): ListedScenario {
  return listedScenarios.find((scenario) => scenario.name === name) ?? unknown;
}
