/** The settings, and scenarios with dials. */

import { describe, expect, test } from "vitest";
import { Bodies } from "./bodies.js";
import { dialledScenario } from "./dialled.js";
import { Random } from "./random.js";
import { RateLimit } from "./rate-limit.js";
import { scenarios } from "./scenarios.js";
import { FakeService } from "./service.js";
import { dialNames, presetOf, ranges, readSettings, writeSettings } from "./settings.js";

/** @typedef {import("./scenario.js").Visit} Visit */
/** @typedef {import("./scenarios.js").ScenarioName} ScenarioName */
/** @typedef {import("./settings.js").Settings} Settings */

const names = /** @type {ScenarioName[]} */ (Object.keys(scenarios));

/** @type {Settings} */
const allDialled = {
  scenario: "flaky",
  latency: 5,
  jitter: 7,
  errorRate: 30,
  rateLimit: 40,
  partitionSize: 33,
  findings: 500,
  seed: 4_294_967_295,
};

describe("an address", () => {
  test("without parameters means the large scenario", () => {
    expect(readSettings(new URLSearchParams())).toEqual(presetOf("large"));
  });

  test("preserves the settings that were written into it, in every scenario", () => {
    for (const scenario of names) {
      for (const settings of [presetOf(scenario), { ...allDialled, scenario }, ...extremes(scenario)]) {
        expect(readSettings(new URLSearchParams(String(writeSettings(settings))))).toEqual(settings);
      }
    }
  });

  test("contains only what differs from the scenario, each under its own name", () => {
    expect(String(writeSettings(presetOf("large")))).toBe("");
    expect(String(writeSettings(presetOf("slow")))).toBe("scenario=slow");
    expect(String(writeSettings({ ...presetOf("slow"), latency: 0, seed: 7 }))).toBe("scenario=slow&latency=0&seed=7");
    expect(new Set(dialNames.map((dial) => ranges[dial].parameter)).size).toBe(dialNames.length);
  });

  test("keeps unknown parameters, and loses those of settings that no longer differ", () => {
    const before = new URLSearchParams("kind=topics&latency=700&scenario=flaky&latency=800&kind=again");
    expect(String(writeSettings(presetOf("large"), before))).toBe("kind=topics&kind=again");
  });

  test("with an invalid value means the scenario's value", () => {
    const nonsense = [
      "",
      " ",
      "-1",
      "1.5",
      "1e3",
      "0x10",
      "NaN",
      "Infinity",
      "١٢",
      "5 ",
      "99999999999",
      "<img>",
      "\u0000",
    ];
    for (const value of nonsense) {
      for (const dial of dialNames) {
        const parameters = new URLSearchParams({ scenario: "slow", [ranges[dial].parameter]: value });
        expect(readSettings(parameters), `${dial}=${value}`).toEqual(presetOf("slow"));
      }
    }
  });

  test("with a value out of its range means the scenario's value", () => {
    for (const dial of dialNames) {
      const { parameter, least, most } = ranges[dial];
      for (const value of [least - 1, most + 1]) {
        expect(readSettings(new URLSearchParams({ [parameter]: String(value) }))).toEqual(presetOf("large"));
      }
      for (const value of [least, most]) {
        expect(readSettings(new URLSearchParams({ [parameter]: String(value) }))[dial]).toBe(value);
      }
    }
  });

  test("with an unknown scenario means the large one, with the dials", () => {
    for (const scenario of ["", "Large", "__proto__", "constructor", "toString", "slow\n", "small,large"]) {
      expect(readSettings(new URLSearchParams({ scenario, latency: "20" }))).toEqual({
        ...presetOf("large"),
        latency: 20,
      });
    }
  });

  test("with a duplicate parameter means the first", () => {
    expect(readSettings(new URLSearchParams("latency=20&latency=30")).latency).toBe(20);
  });
});

describe("a scenario with dials", () => {
  test("without changes has the sizes, latencies and responses of the scenario", async () => {
    for (const name of names) {
      /** @type {import("./scenario.js").Scenario} */
      const own = scenarios[name];
      const dialled = dialledScenario(presetOf(name));
      expect(dialled.inspection).toEqual(own.inspection);
      for (let count = 1; count < 20; count++) {
        expect(dialled.latency?.(visit(count))).toBe(own.latency?.(visit(count)) ?? 0);
      }
      for (const path of ["Findings/1", "Findings/1/Sentiment/0", "Findings/1/Topics/1"]) {
        expect(await answers(dialled, path, 2)).toEqual(await answers(own, path, 2));
      }
    }
  });

  test("has the number of findings on the dial, in partitions of at most the size on the dial", () => {
    const size = (/** @type {Partial<Settings>} */ dials) =>
      dialledScenario({ ...presetOf("large"), ...dials }).inspection?.sentiment;
    expect(size({ findings: 1_000_000 })).toEqual({ findings: 1_000_000, partitions: 500 });
    expect(size({ findings: 1_001, partitionSize: 100 })).toEqual({ findings: 1_001, partitions: 11 });
    expect(size({ findings: 0 })).toEqual({ findings: 0, partitions: 0 });
    expect(dialledScenario({ ...presetOf("empty"), findings: 30, partitionSize: 10 }).inspection?.topics).toEqual({
      findings: 30,
      partitions: 3,
    });
  });

  test("fails for the same requests every time, whatever their order and duration", async () => {
    const paths = Array.from({ length: 60 }, (_, index) => `Findings/2/Sentiment/${index}`);
    const settings = { ...presetOf("large"), errorRate: 40, findings: 600, partitionSize: 10 };
    const first = await outcomes(settings, paths);
    const second = await outcomes({ ...settings, jitter: 1 }, paths.toReversed());
    expect(second).toEqual(first);
    const failed = Object.values(first)
      .flat()
      .filter((outcome) => outcome !== 200);
    expect(failed.length / (2 * paths.length)).toBeCloseTo(0.4, 1);
    expect(new Set(failed)).toEqual(new Set([0, 500, 502, 503, 504]));
    expect(await outcomes({ ...settings, seed: 2 }, paths)).not.toEqual(first);
  });

  test("always fails at a rate of 100 per cent, and never at 0", async () => {
    const paths = Array.from({ length: 50 }, (_, index) => `Findings/2/Topics/${index}`);
    expect(Object.values(await outcomes({ ...presetOf("large"), errorRate: 100 }, paths)).flat()).not.toContain(200);
    const never = { ...presetOf("large"), findings: 500, partitionSize: 10 };
    expect(new Set(Object.values(await outcomes(never, paths)).flat())).toEqual(new Set([200]));
  });

  test("adds at most its jitter to its latency", () => {
    const { latency } = dialledScenario({ ...presetOf("large"), latency: 100, jitter: 50 });
    const taken = Array.from({ length: 500 }, (_, count) => latency?.(visit(count)) ?? 0);
    expect(Math.min(...taken)).toBe(100);
    expect(Math.max(...taken)).toBe(150);
  });

  test("answers 429 after the requests of one second", async () => {
    const service = serviceOf({ ...presetOf("large"), rateLimit: 5 });
    const responses = [];
    for (let index = 0; index < 7; index++) {
      responses.push(await service.answer(request("Findings/2")));
    }
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect(responses.at(-1)?.headers.get("retry-after")).toBe("1");
  });

  test("keeps its own behaviour with all faults", async () => {
    const service = serviceOf({ ...presetOf("flaky"), errorRate: 50, rateLimit: 100 });
    const statuses = [];
    for (let count = 0; count < 12; count++) {
      statuses.push((await service.answer(request("Findings/6"))).status);
    }
    expect(statuses[0]).not.toBe(200);
    expect(statuses).toContain(200);
  });
});

test("a rate limit allows the requests of one second at once, and then refills", () => {
  const limit = new RateLimit(10);
  const passed = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ step) => {
    let count = 0;
    for (let now = from; now < to; now += step) {
      count += limit.refuses(now) ? 0 : 1;
    }
    return count;
  };
  expect(passed(0, 1, 0.01)).toBe(10);
  expect(passed(1, 10_001, 1)).toBe(100);
  expect(passed(60_000, 60_001, 0.01)).toBe(10);
});

/**
 * Every dial at its least and at its most.
 * @param {ScenarioName} scenario
 */
function extremes(scenario) {
  return dialNames.flatMap((dial) =>
    [ranges[dial].least, ranges[dial].most].map((value) => ({ ...presetOf(scenario), [dial]: value })),
  );
}

/** @param {Settings} settings */
function serviceOf(settings) {
  return serviceWith(dialledScenario(settings), settings.seed);
}

/**
 * @param {import("./scenario.js").Scenario} scenario
 * @param {number} seed
 */
function serviceWith(scenario, seed) {
  const baseUrl = new URL("https://service.test/");
  return new FakeService({ baseUrl, seed, bodies: new Bodies(seed), scenarioOf: () => scenario });
}

/**
 * The statuses of two requests for each path; 0 for no response.
 * @param {Settings} settings
 * @param {string[]} paths
 */
async function outcomes(settings, paths) {
  const service = serviceOf(settings);
  /** @type {Record<string, number[]>} */
  const statuses = {};
  for (const path of [...paths, ...paths]) {
    statuses[path] = [...(statuses[path] ?? []), (await service.answer(request(path))).status];
  }
  return statuses;
}

/**
 * The first responses of a scenario, without its latency.
 * @param {import("./scenario.js").Scenario} scenario
 * @param {string} path
 * @param {number} times
 */
async function answers({ inspection, answer }, path, times) {
  const service = serviceWith({ inspection, answer }, 1);
  const texts = [];
  for (let time = 0; time < times; time++) {
    const response = await service.answer(request(path));
    texts.push({ status: response.status, text: await response.text() });
  }
  return texts;
}

/** @param {string} path */
function request(path) {
  return new Request(`https://service.test/${path}`);
}

/** @param {number} count */
function visit(count) {
  return /** @type {Visit} */ ({ random: new Random(1, "Findings/5", count) });
}
