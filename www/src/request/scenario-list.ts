/** The scenarios of the built-in service: their descriptions, and the keys of their inspections. */

import type { ScenarioName } from "inspection-findings/testing";
import { scenarioByKey } from "../../../tests/fake-backend/demo.js";

export interface ListedScenario {
  name: ScenarioName;
  inspectionKey: string;
  title: string;
  about: string;
}

const words: Record<ScenarioName, { title: string; about: string }> = {
  small: { title: "Small", about: "A few findings in a few partitions." },
  large: { title: "Large", about: "A hundred thousand findings in large partitions." },
  empty: { title: "Empty", about: "An inspection without findings." },
  slow: { title: "Slow", about: "Every response takes long enough to cancel the call." },
  jittered: {
    title: "Jittered order",
    about: "Responses overtake each other, but the findings stay in order.",
  },
  flaky: { title: "Flaky", about: "Every request fails once with status 500, and is then retried." },
  "rate-limited": {
    title: "Rate-limited",
    about: "Every request is rejected once with status 429, and retried after a pause.",
  },
  "service-errors": {
    title: "Service errors",
    about: "One partition reports errors, although its status is 200.",
  },
  "wrong-total": { title: "Wrong total", about: "The service reports a total that is one too high." },
  "broken-json": { title: "Broken JSON", about: "The JSON of one partition ends too early." },
  "expired-token": {
    title: "Expired token",
    about: "The token has expired. It is renewed during the call, and nothing is lost.",
  },
  "unknown-inspection": { title: "Unknown inspection", about: "The service has no inspection with this key." },
};

/** Any key that the service does not know has this scenario. */
const unknown: ListedScenario = {
  name: "unknown-inspection",
  inspectionKey: "404",
  ...words["unknown-inspection"],
};

export const listedScenarios: readonly ListedScenario[] = [
  ...Object.entries(scenarioByKey).map(([inspectionKey, name]) => ({ name, inspectionKey, ...words[name] })),
  unknown,
];

/** The scenario of an inspection in the built-in service. */
export function scenarioOf(inspectionKey: string): ListedScenario {
  return listedScenarios.find((scenario) => scenario.inspectionKey === inspectionKey) ?? unknown;
}

/** The scenario with a name. */
export function scenarioNamed(name: ScenarioName): ListedScenario {
  return listedScenarios.find((scenario) => scenario.name === name) ?? unknown;
}
