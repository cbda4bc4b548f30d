// The options of a fake service, checked when the caller passes them.

import { membersOf, plainObject } from "../../core/argument/passed-object.js";
import { typeOf } from "../../core/argument/refusal.js";
import type { FindingKind } from "../../core/table/finding.js";
import type {
  FakeServiceOptions,
  Faults,
  FindingsSize,
  Scenario,
  ScenarioName,
  SessionCredentials,
} from "./fake-service.js";
import { type Inspection, inventedPartitions, type Partitions, partitionsFrom } from "./inspection.js";
import { maxFindings } from "./invented-findings.js";
import { type Behaviour, scenarios } from "./scenarios.js";
import { credentialNames, Sessions } from "./sessions.js";

/** Options that have been checked. */
export interface Settings {
  readonly seed: number;
  /** The URL of the service, with a slash at its end. */
  readonly baseUrl: string;
  readonly inspection: Inspection;
  readonly behaviour: Behaviour;
  readonly faults: Faults;
  /** Undefined if requests need no token. */
  readonly sessions: Sessions | undefined;
}

/** The names of the options. The types fail to compile if one is missing. */
const optionNames = namesOf({
  seed: 0,
  sentiment: 0,
  topics: 0,
  scenario: 0,
  faults: 0,
  baseUrl: 0,
  sessions: 0,
} satisfies Record<keyof FakeServiceOptions, 0>);

const shareNames = ["errorRate", "reset", "stall", "malformed"] as const;

/** The range of each fault that is a number. */
const ranges: Readonly<Record<Exclude<keyof Faults, "once">, Range>> = {
  latency: { least: 0, most: 2 ** 31 - 1 },
  jitter: { least: 0, most: 2 ** 31 - 1 },
  errorRate: { least: 0, most: 1 },
  reset: { least: 0, most: 1 },
  stall: { least: 0, most: 1 },
  malformed: { least: 0, most: 1 },
  rateLimit: { least: Number.MIN_VALUE, most: Number.MAX_VALUE },
  bandwidth: { least: Number.MIN_VALUE, most: Number.MAX_VALUE },
  slice: { least: 1, most: Number.MAX_SAFE_INTEGER, isInteger: true },
};

const faultNames = namesOf({ ...ranges, once: 0 } satisfies Record<keyof Faults, unknown>);
const scenarioMembers = namesOf({ latency: 0, respond: 0 } satisfies Record<keyof Scenario, 0>);

interface Range {
  readonly least: number;
  readonly most: number;
  readonly isInteger?: boolean;
}

/** Reads the options of a service. Throws a `TypeError` or `RangeError` that says what is wrong. */
export function readOptions(options: FakeServiceOptions = {}): Settings {
  const given = membersOf(options, "options", optionNames) as FakeServiceOptions;
  const { seed = 1, sentiment, topics, scenario = "small", faults = {}, sessions = false } = given;
  const { baseUrl = "https://findings.test/" } = given;
  checkNumber("seed", seed, {
    least: Number.MIN_SAFE_INTEGER,
    most: Number.MAX_SAFE_INTEGER,
    isInteger: true,
  });
  const behaviour = readScenario("scenario", scenario);
  const { sizes } = scenarios[typeof scenario === "string" ? scenario : "small"];
  const partitionsOf = (kind: FindingKind, value: FakeServiceOptions["topics"]) =>
    readPartitions(kind, value === undefined ? sizes[kind] : value, seed);
  return {
    seed,
    baseUrl: readBaseUrl(baseUrl),
    inspection: { sentiment: partitionsOf("sentiment", sentiment), topics: partitionsOf("topics", topics) },
    behaviour,
    faults: readFaults("faults", faults),
    sessions: readSessions(sessions, seed),
  };
}

/** Reads the argument of `use`: a scenario, or faults. */
export function readBehaviour(
  change: ScenarioName | Scenario | Faults,
): Partial<Pick<Settings, "behaviour" | "faults">> {
  if (typeof change === "string") return { behaviour: readScenario("use()", change) };
  plainObject(change, "use()", "the name of a scenario, a scenario, or faults");
  const isScenario = "respond" in change || typeof change.latency === "function";
  return isScenario
    ? { behaviour: readScenario("use()", change as Scenario) }
    : { faults: readFaults("use()", change as Faults) };
}

/** Throws unless this is a kind of findings. */
export function checkKind(kind: FindingKind): void {
  if (kind !== "sentiment" && kind !== "topics") {
    throw new TypeError(`kind must be "sentiment" or "topics", not ${printed(kind)}`);
  }
}

function readScenario(name: string, scenario: ScenarioName | Scenario): Behaviour {
  if (typeof scenario === "string") {
    if (!Object.hasOwn(scenarios, scenario)) {
      throw new TypeError(
        `${name}: there is no scenario ${printed(scenario)}, only ${Object.keys(scenarios).join(", ")}`,
      );
    }
    return scenarios[scenario].behaviour ?? {};
  }
  const { latency, respond } = membersOf(scenario, name, scenarioMembers) as Scenario;
  for (const [member, value] of Object.entries({ latency, respond })) {
    if (value !== undefined && typeof value !== "function") {
      throw new TypeError(`${name}: ${member} must be a function, not ${printed(value)}`);
    }
  }
  return { latency, respond };
}

function readFaults(name: string, value: Faults): Faults {
  const faults = membersOf(value, name, faultNames) as Faults;
  for (const [fault, range] of Object.entries(ranges)) {
    const value = faults[fault as keyof typeof ranges];
    if (value !== undefined) checkNumber(`${name}: ${fault}`, value, range);
  }
  if (faults.once !== undefined && typeof faults.once !== "boolean") {
    throw new TypeError(`${name}: once must be a boolean, not ${printed(faults.once)}`);
  }
  const sum = shareNames.reduce((sum, share) => sum + (faults[share] ?? 0), 0);
  // Shares such as 0.7, 0.2 and 0.1 add up to slightly more than 1.
  if (sum > 1 + 1e-9) {
    throw new RangeError(`${name}: ${shareNames.join(", ")} must add up to at most 1, not ${sum}`);
  }
  return faults;
}

function readSessions(sessions: NonNullable<FakeServiceOptions["sessions"]>, seed: number): Sessions | undefined {
  if (sessions === false) return undefined;
  if (sessions === true) return new Sessions(seed, undefined);
  const expected = "true, false or { account, userName, password }";
  const credentials = membersOf(sessions, "sessions", credentialNames, { expected }) as unknown as SessionCredentials;
  for (const name of credentialNames) {
    const value = credentials[name];
    if (typeof value !== "string") throw new TypeError(`sessions: ${name} must be a string, not ${printed(value)}`);
    if (value === "") throw new TypeError(`sessions: ${name} must not be empty`);
  }
  return new Sessions(seed, credentials);
}

function readPartitions(
  kind: FindingKind,
  value: FindingsSize | readonly (readonly object[])[],
  seed: number,
): Partitions {
  if (isList(value)) {
    checkFindings(kind, value);
    return partitionsFrom(value);
  }
  const expected = "{ findings, partitions } or an array of partitions";
  const size = membersOf(value, kind, ["findings", "partitions"], { expected }) as unknown as FindingsSize;
  const { findings, partitions } = size;
  for (const [member, value] of Object.entries({ findings, partitions })) {
    checkNumber(`${kind}: ${member}`, value, { least: 0, most: Number.MAX_SAFE_INTEGER, isInteger: true });
  }
  if (Math.ceil(findings / partitions) > maxFindings) {
    throw new RangeError(
      `${kind}: ${findings} findings in ${partitions} partitions are more than ${maxFindings} in one of them`,
    );
  }
  return inventedPartitions(seed, kind, { findings, partitions });
}

function checkFindings(kind: FindingKind, partitions: readonly (readonly object[])[]): void {
  for (const [index, findings] of partitions.entries()) {
    const expected = `${kind}: partition ${index} must be an array of findings`;
    if (!Array.isArray(findings)) throw new TypeError(`${expected}; got ${typeOf(findings)}`);
    for (const finding of findings) plainObject(finding, `${kind}: each finding of partition ${index}`);
  }
}

/** Reads the URL as the package reads its own option. */
function readBaseUrl(value: string | URL): string {
  const url = parsed(value);
  if (url === undefined) throw new TypeError(`baseUrl must be an absolute URL, not ${printed(String(value))}`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`baseUrl must begin with http: or https:, not ${url.protocol}`);
  }
  if (url.username !== "" || url.password !== "") throw new TypeError("baseUrl must have no credentials");
  if (url.href.includes("?") || url.href.includes("#")) {
    throw new TypeError("baseUrl must have neither a query nor a fragment");
  }
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}

function parsed(url: string | URL): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

function isList(value: FindingsSize | readonly (readonly object[])[]): value is readonly (readonly object[])[] {
  return Array.isArray(value);
}

function checkNumber(name: string, value: number, { least, most, isInteger = false }: Range): void {
  if (typeof value !== "number") throw new TypeError(`${name} must be a number, not ${printed(value)}`);
  if (isInteger && !Number.isInteger(value)) throw new RangeError(`${name} must be an integer, not ${value}`);
  if (!(value >= least && value <= most)) {
    const range = least === Number.MIN_VALUE ? "a number greater than 0" : `from ${least} to ${most}`;
    throw new RangeError(`${name} must be ${range}, not ${value}`);
  }
}

function namesOf<Name extends string>(members: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(members) as Name[];
}

/** A value of any type in a message. */
function printed(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : value === null ? "null" : typeof value;
}
