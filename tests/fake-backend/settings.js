/** The settings of the fake backend: a scenario and its dials, and their form in an address. */

import { sizes } from "./scenarios.js";

/** @typedef {import("inspection-findings/testing").ScenarioName} ScenarioName */

/**
 * The dials of all scenarios.
 * @typedef {object} Dials
 * @property {number} latency milliseconds before each response
 * @property {number} jitter the most milliseconds that are added to the latency
 * @property {number} errorRate per cent of the requests that fail
 * @property {number} rateLimit requests per second; 0 for no limit
 * @property {number} partitionSize the most findings per partition
 * @property {number} findings number of sentiment findings; topic findings are in the scenario's proportion
 * @property {number} seed the same seed gives the same findings, latencies and failures
 */

/** @typedef {{ scenario: ScenarioName } & Dials} Settings */

/** @type {Readonly<Record<keyof Dials, { parameter: string, least: number, most: number }>>} */
export const ranges = {
  latency: { parameter: "latency", least: 0, most: 5_000 },
  jitter: { parameter: "jitter", least: 0, most: 5_000 },
  errorRate: { parameter: "error-rate", least: 0, most: 100 },
  rateLimit: { parameter: "rate-limit", least: 0, most: 100 },
  partitionSize: { parameter: "partition-size", least: 10, most: 20_000 },
  findings: { parameter: "findings", least: 0, most: 1_000_000 },
  seed: { parameter: "seed", least: 0, most: 4_294_967_295 },
};

export const dialNames = /** @type {(keyof Dials)[]} */ (Object.keys(ranges));

const scenarioParameter = "scenario";

/** @type {ScenarioName} */
const defaultScenario = "large";

/** The dials of scenarios with latencies. @type {Partial<Record<ScenarioName, Partial<Dials>>>} */
const latencies = { slow: { latency: 700 }, jittered: { latency: 10, jitter: 490 } };

/** The size of partitions if the scenario has none. */
const usualPartitionSize = 2_000;

/**
 * The initial dials of a scenario.
 * @param {ScenarioName} [scenario]
 * @returns {Settings}
 */
export function presetOf(scenario = defaultScenario) {
  const { findings, partitions } = sizes[scenario].sentiment;
  return {
    scenario,
    latency: 0,
    jitter: 0,
    ...latencies[scenario],
    errorRate: 0,
    rateLimit: 0,
    partitionSize: partitions === 0 ? usualPartitionSize : Math.ceil(findings / partitions),
    findings,
    seed: 1,
  };
}

/**
 * Reads the settings in an address. Missing and invalid values are those of the scenario.
 * @param {URLSearchParams} parameters
 * @returns {Settings}
 */
export function readSettings(parameters) {
  const name = parameters.get(scenarioParameter) ?? "";
  const settings = presetOf(Object.hasOwn(sizes, name) ? /** @type {ScenarioName} */ (name) : undefined);
  for (const dial of dialNames) {
    settings[dial] = readDial(dial, parameters.get(ranges[dial].parameter)) ?? settings[dial];
  }
  return settings;
}

/**
 * Writes to the parameters of an address the settings that differ from the scenario. Other parameters stay.
 * @param {Settings} settings
 * @param {URLSearchParams} [parameters] to start from
 */
export function writeSettings(settings, parameters = new URLSearchParams()) {
  const written = new URLSearchParams(parameters);
  const preset = presetOf(settings.scenario);
  for (const [name, value, usual] of [
    [scenarioParameter, settings.scenario, defaultScenario],
    ...dialNames.map((dial) => [ranges[dial].parameter, settings[dial], preset[dial]]),
  ]) {
    written.delete(`${name}`);
    if (value !== usual) written.set(`${name}`, `${value}`);
  }
  return written;
}

/**
 * Parses the value of a dial; undefined if the text is invalid.
 * @param {keyof Dials} dial
 * @param {string | null} text
 */
export function readDial(dial, text) {
  const { least, most } = ranges[dial];
  const value = /^[0-9]{1,10}$/.test(text ?? "") ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}
