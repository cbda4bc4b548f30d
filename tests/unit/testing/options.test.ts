/** The options of a fake service. */

import { createFakeService } from "inspection-findings/testing";
import { expect, test } from "vitest";

test.for<[options: unknown, type: ErrorConstructor, message: RegExp]>([
  [
    { sentimant: {} },
    TypeError,
    /unknown option "sentimant" \(did you mean sentiment\?\); the options are seed, sentiment/,
  ],
  [null, TypeError, /options must be an object; got null/],
  [{ seed: "1" }, TypeError, /seed must be a number, not "1"/],
  [{ seed: 1.5 }, RangeError, /seed must be an integer, not 1.5/],
  [{ sentiment: 5 }, TypeError, /sentiment must be \{ findings, partitions } or an array of partitions; got a number/],
  [{ topics: { findings: -1, partitions: 1 } }, RangeError, /topics: findings must be from 0/],
  [{ topics: { findings: 1, partitions: 0 } }, RangeError, /topics: 1 findings in 0 partitions/],
  [{ topics: [[], {}] }, TypeError, /topics: partition 1 must be an array of findings/],
  [{ topics: [[1]] }, TypeError, /topics: each finding of partition 0 must be an object; got a number/],
  [{ scenario: "__proto__" }, TypeError, /scenario: there is no scenario "__proto__", only small, /],
  [{ scenario: { respond: 5 } }, TypeError, /scenario: respond must be a function/],
  [{ sessions: 1 }, TypeError, /sessions must be true, false or \{ account, userName, password }; got a number/],
  [{ sessions: { account: "a", userName: "b" } }, TypeError, /sessions: password must be a string, not undefined/],
  [{ sessions: { account: "" } }, TypeError, /sessions: account must not be empty/],
  [{ faults: { latency: -1 } }, RangeError, /faults: latency must be from 0 to 2147483647, not -1/],
  [{ faults: { jitter: Number.NaN } }, RangeError, /faults: jitter/],
  [{ faults: { errorRate: 0.6, stall: 0.6 } }, RangeError, /must add up to at most 1, not 1.2/],
  [{ faults: { rateLimit: 0 } }, RangeError, /faults: rateLimit must be a number greater than 0/],
  [{ faults: { once: 1 } }, TypeError, /faults: once must be a boolean/],
  [{ baseUrl: "cxi/" }, TypeError, /baseUrl must be an absolute URL, not "cxi\/"/],
  [{ baseUrl: "ftp://service.test" }, TypeError, /baseUrl must begin with http: or https:/],
  [{ baseUrl: "https://me:secret@service.test" }, TypeError, /baseUrl must have no credentials/],
  [{ baseUrl: "https://service.test/#" }, TypeError, /neither a query nor a fragment/],
])("%o are refused", ([options, type, message]) => {
  const make = () => createFakeService(options as object);
  expect(make).toThrow(type);
  expect(make).toThrow(message);
});

test.for<[behaviour: unknown, message: RegExp]>([
  ["flakey", /use\(\): there is no scenario "flakey"/],
  [{ latency: -1 }, /use\(\): latency/],
  [{ latency: () => 1, jitter: 5 }, /unknown member "jitter" of use\(\); the members are latency, respond/],
])("use(%o) is refused, and changes nothing", async ([behaviour, message]) => {
  const service = createFakeService({ scenario: "expired-token" });
  expect(() => service.use(behaviour as object)).toThrow(message);
  expect((await service.fetch(`${service.baseUrl}Findings/1`)).status).toBe(401);
});

test("a kind that is none is refused", () => {
  expect(() => createFakeService().findings("topic" as "topics")).toThrow(/kind must be .*, not "topic"/);
});

test("options that are undefined mean their defaults, and a base URL gets the slash at its end", () => {
  const undefinedOptions = { seed: undefined, sentiment: undefined, faults: { slice: undefined } };
  const { baseUrl, findings } = createFakeService(undefinedOptions);
  expect([baseUrl, findings("topics")]).toEqual(["https://findings.test/", createFakeService().findings("topics")]);
  expect(createFakeService({ baseUrl: "https://service.test/cxi" }).baseUrl).toBe("https://service.test/cxi/");
});
