/** The settings, and scenarios with dials. */

import { createFakeService } from "inspection-findings/testing";
import { describe, expect, test } from "vitest";
import { dialledInspection, dialledOptions } from "./dialled.js";
import { scenarioNames, sizes } from "./scenarios.js";
import { dialNames, presetOf, ranges, readSettings, writeSettings } from "./settings.js";

/** @typedef {import("inspection-findings/testing").FakeServiceOptions} FakeServiceOptions */

const allDialled = {
  latency: 5,
  jitter: 7,
  errorRate: 30,
  rateLimit: 40,
  partitionSize: 33,
  findings: 500,
  seed: 2 ** 32 - 1,
};

/** Each scenario as it is, with all dials turned, and with each dial at its least and at its most. */
const allSettings = scenarioNames.flatMap((scenario) => [
  presetOf(scenario),
  { scenario, ...allDialled },
  ...dialNames.flatMap((dial) =>
    [ranges[dial].least, ranges[dial].most].map((value) => ({ ...presetOf(scenario), [dial]: value })),
  ),
]);

describe("a URL", () => {
  const read = (/** @type {string | Record<string, string>} */ query) => readSettings(new URLSearchParams(query));

  test("preserves the settings that were written into it, in every scenario", () => {
    for (const settings of allSettings) expect(read(String(writeSettings(settings)))).toEqual(settings);
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

  test("with an invalid value, or one out of its range, means the scenario's value", () => {
    for (const dial of dialNames) {
      const { parameter, least, most } = ranges[dial];
      for (const value of [
        ...["", " ", "-1", "1.5", "1e3", "0x10", "NaN", "Infinity", "١٢", "5 ", "99999999999", "<img>", "\u0000"],
        ...[least - 1, most + 1].map(String),
      ]) {
        expect(read({ scenario: "slow", [parameter]: value }), `${dial}=${value}`).toEqual(presetOf("slow"));
      }
    }
  });

  test("without a scenario, or with an unknown one, means the large one, with the dials", () => {
    expect(read("")).toEqual(presetOf("large"));
    for (const scenario of ["", "Large", "__proto__", "constructor", "toString", "slow\n", "small,large"]) {
      expect(read({ scenario, latency: "20" })).toEqual({ ...presetOf("large"), latency: 20 });
    }
  });

  test("with a duplicate parameter means the first", () => {
    expect(read("latency=20&latency=30").latency).toBe(20);
  });
});

describe("a scenario with dials", () => {
  test("without changes has the size and the responses of the scenario", async () => {
    for (const scenario of scenarioNames) {
      const preset = presetOf(scenario);
      expect(dialledInspection(preset) ?? sizes[scenario]).toEqual(sizes[scenario]);
      const withoutWaiting = dialledOptions({ ...preset, latency: 0, jitter: 0 });
      const own = scenario === "slow" || scenario === "jittered" ? sizes[scenario] : { scenario };
      expect(await responsesOf(withoutWaiting)).toEqual(await responsesOf(own));
    }
  });

  test("has the latency of the scenario on its dials, and the share of failures on the dial", () => {
    expect(dialledOptions(presetOf("slow"))).toMatchObject({ scenario: "small", faults: { latency: 700, jitter: 0 } });
    expect(dialledOptions(presetOf("jittered")).faults).toMatchObject({ latency: 10, jitter: 490 });
    // Each of the four statuses and a broken connection are equally likely.
    const { faults } = dialledOptions({ ...presetOf("large"), errorRate: 40 });
    expect([faults?.errorRate, faults?.reset]).toEqual([expect.closeTo(0.32), expect.closeTo(0.08)]);
  });

  test("has the number of findings on the dial, in partitions of at most the size on the dial", () => {
    const size = (/** @type {Partial<typeof allDialled>} */ dials) =>
      dialledInspection({ ...presetOf("large"), ...dials })?.sentiment;
    expect(size({ findings: 1_000_000 })).toEqual({ findings: 1_000_000, partitions: 500 });
    expect(size({ findings: 1_001, partitionSize: 100 })).toEqual({ findings: 1_001, partitions: 11 });
    expect(size({ findings: 0 })).toEqual({ findings: 0, partitions: 0 });
    const ofEmpty = dialledInspection({ ...presetOf("empty"), findings: 30, partitionSize: 10 });
    expect(ofEmpty?.topics).toEqual({ findings: 30, partitions: 3 });
    expect(dialledInspection(presetOf("unknown-inspection"))).toBeUndefined();
  });

  test("at the end of every dial has options that a fake service accepts", () => {
    for (const settings of allSettings) expect(() => createFakeService(dialledOptions(settings))).not.toThrow();
  });
});

/**
 * The first two responses of a service for each of three paths.
 * @param {FakeServiceOptions} options
 */
async function responsesOf(options) {
  const { baseUrl, fetch } = createFakeService(options);
  const responses = [];
  for (const path of ["Findings/1", "Findings/1/Sentiment/0", "Findings/1/Topics/1"]) {
    for (let time = 0; time < 2; time++) {
      const response = await fetch(baseUrl + path);
      responses.push({ status: response.status, text: await response.text() });
    }
  }
  return responses;
}
