/** The settings, and scenarios with dials. */

import { createFakeService } from "inspection-findings/testing";
import { describe, expect, test } from "vitest";
import { dialledInspection, dialledOptions } from "./dialled.js";
import { scenarioNames, sizes } from "./scenarios.js";
import { dialNames, presetOf, ranges, readSettings, writeSettings } from "./settings.js";

/** @typedef {import("inspection-findings/testing").FakeServiceOptions} FakeServiceOptions */
/** @typedef {import("inspection-findings/testing").ScenarioName} ScenarioName */
/** @typedef {import("./settings.js").Settings} Settings */

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

describe("a URL", () => {
  test("without parameters means the large scenario", () => {
    expect(readSettings(new URLSearchParams())).toEqual(presetOf("large"));
  });

  test("preserves the settings that were written into it, in every scenario", () => {
    for (const scenario of scenarioNames) {
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
      ...["", " ", "-1", "1.5", "1e3", "0x10", "NaN", "Infinity"],
      ...["١٢", "5 ", "99999999999", "<img>", "\u0000"],
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
  test("without changes has the size and the responses of the scenario", async () => {
    for (const scenario of scenarioNames) {
      const preset = presetOf(scenario);
      expect(dialledInspection(preset) ?? sizes[scenario]).toEqual(sizes[scenario]);
      const withoutWaiting = { ...preset, latency: 0, jitter: 0 };
      for (const path of ["Findings/1", "Findings/1/Sentiment/0", "Findings/1/Topics/1"]) {
        const own = {
          scenario: scenario === "slow" || scenario === "jittered" ? undefined : scenario,
          ...sizes[scenario],
        };
        expect(await responsesOf(dialledOptions(withoutWaiting), path, 2)).toEqual(await responsesOf(own, path, 2));
      }
    }
  });

  test("has the latency of the scenario on its dials", () => {
    expect(dialledOptions(presetOf("slow"))).toMatchObject({ scenario: "small", faults: { latency: 700, jitter: 0 } });
    expect(dialledOptions(presetOf("jittered")).faults).toMatchObject({ latency: 10, jitter: 490 });
  });

  test("has the number of findings on the dial, in partitions of at most the size on the dial", () => {
    const size = (/** @type {Partial<Settings>} */ dials) =>
      dialledInspection({ ...presetOf("large"), ...dials })?.sentiment;
    expect(size({ findings: 1_000_000 })).toEqual({ findings: 1_000_000, partitions: 500 });
    expect(size({ findings: 1_001, partitionSize: 100 })).toEqual({ findings: 1_001, partitions: 11 });
    expect(size({ findings: 0 })).toEqual({ findings: 0, partitions: 0 });
    expect(dialledInspection({ ...presetOf("empty"), findings: 30, partitionSize: 10 })?.topics).toEqual({
      findings: 30,
      partitions: 3,
    });
    expect(dialledInspection(presetOf("unknown-inspection"))).toBeUndefined();
  });

  test("fails the share of the requests on the dial, by each status and a broken connection alike", async () => {
    const settings = { ...presetOf("large"), errorRate: 40, findings: 5_000, partitionSize: 10 };
    const service = createFakeService(dialledOptions(settings));
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        service.fetch(`${service.baseUrl}Findings/2/Sentiment/${index}`).then(
          ({ status }) => status,
          () => 0,
        ),
      ),
    );
    const failed = outcomes.filter((outcome) => outcome !== 200);
    expect(failed.length / outcomes.length).toBeCloseTo(0.4, 1);
    for (const outcome of [0, 500, 502, 503, 504]) {
      expect(failed.filter((each) => each === outcome).length / failed.length).toBeCloseTo(0.2, 1);
    }
  });

  test("at the end of every dial has options that a fake service accepts", () => {
    for (const settings of scenarioNames.flatMap((scenario) => [{ ...allDialled, scenario }, ...extremes(scenario)])) {
      expect(() => createFakeService(dialledOptions(settings))).not.toThrow();
    }
  });
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

/**
 * The first responses of a service.
 * @param {FakeServiceOptions} options
 * @param {string} path
 * @param {number} times
 */
async function responsesOf(options, path, times) {
  const service = createFakeService(options);
  const texts = [];
  for (let time = 0; time < times; time++) {
    const response = await service.fetch(service.baseUrl + path);
    texts.push({ status: response.status, text: await response.text() });
  }
  return texts;
}
