/** The options of a fake service. */

import { createFakeService } from "inspection-findings/testing";
import { expect, test } from "vitest";

test.for([
  [{ sentimant: {} }, TypeError, /options: there is no "sentimant", only seed, sentiment/],
  [5, TypeError, /options must be an object, not number/],
  [null, TypeError, /options must be an object, not null/],
  [{ seed: "1" }, TypeError, /seed must be a number, not "1"/],
  [{ seed: 1.5 }, RangeError, /seed must be an integer, not 1.5/],
  [{ seed: Number.NaN }, RangeError, /seed/],
  [{ sentiment: 5 }, TypeError, /sentiment must be \{ findings, partitions } or an array of partitions, not number/],
  [{ sentiment: { findings: 5 } }, TypeError, /sentiment: partitions must be a number/],
  [{ topics: { findings: -1, partitions: 1 } }, RangeError, /topics: findings must be from 0/],
  [{ topics: { findings: 1, partitions: 0.5 } }, RangeError, /topics: partitions must be an integer/],
  [{ topics: { findings: 1, partitions: 0 } }, RangeError, /topics: 1 findings in 0 partitions/],
  [{ topics: { findings: 2_000_001, partitions: 2 } }, RangeError, /more than 1000000 in one of them/],
  [{ topics: { findings: 1, partitions: 1, size: 1 } }, TypeError, /topics: there is no "size"/],
  [{ topics: [[], {}] }, TypeError, /topics: partition 1 must be an array of findings/],
  [{ topics: [[1]] }, TypeError, /topics: partition 0 must be an array of findings/],
  [{ scenario: "flakey" }, TypeError, /scenario: there is no scenario "flakey", only small, /],
  [{ scenario: "__proto__" }, TypeError, /there is no scenario/],
  [{ scenario: { respond: 5 } }, TypeError, /scenario: respond must be a function/],
  [{ scenario: { inspection: {} } }, TypeError, /scenario: there is no "inspection"/],
  [{ sessions: 1 }, TypeError, /sessions must be true, false or \{ account, userName, password }, not number/],
  [{ sessions: null }, TypeError, /sessions must be true, false or \{ account, userName, password }, not null/],
  [{ sessions: { account: "a", userName: "b" } }, TypeError, /sessions: password must be a string, not undefined/],
  [{ sessions: { account: "" } }, TypeError, /sessions: account must not be empty/],
  [{ sessions: { user: "a" } }, TypeError, /sessions: there is no "user", only account, userName, password/],
  [{ faults: { latency: "5" } }, TypeError, /faults: latency must be a number/],
  [{ faults: { latency: -1 } }, RangeError, /faults: latency must be from 0 to 2147483647, not -1/],
  [{ faults: { latency: 2 ** 31 } }, RangeError, /faults: latency/],
  [{ faults: { jitter: Number.NaN } }, RangeError, /faults: jitter/],
  [{ faults: { errorRate: 1.1 } }, RangeError, /faults: errorRate must be from 0 to 1, not 1.1/],
  [{ faults: { errorRate: 0.6, stall: 0.6 } }, RangeError, /must add up to at most 1, not 1.2/],
  [{ faults: { rateLimit: 0 } }, RangeError, /faults: rateLimit must be a number greater than 0/],
  [{ faults: { bandwidth: Number.POSITIVE_INFINITY } }, RangeError, /faults: bandwidth/],
  [{ faults: { slice: 1.5 } }, RangeError, /faults: slice must be an integer/],
  [{ faults: { slice: 0 } }, RangeError, /faults: slice/],
  [{ faults: { once: 1 } }, TypeError, /faults: once must be a boolean/],
  [{ faults: { errorrate: 1 } }, TypeError, /faults: there is no "errorrate", only latency, /],
  [{ baseUrl: "cxi/" }, TypeError, /baseUrl must be an absolute URL, not "cxi\/"/],
  [{ baseUrl: "ftp://service.test" }, TypeError, /baseUrl must begin with http: or https:/],
  [{ baseUrl: "https://me:secret@service.test" }, TypeError, /baseUrl must have no credentials/],
  [{ baseUrl: "https://service.test/?a" }, TypeError, /neither a query nor a fragment/],
  [{ baseUrl: "https://service.test/#" }, TypeError, /neither a query nor a fragment/],
])("%o are refused", ([options, type, message]) => {
  const make = () => createFakeService(/** @type {any} */ (options));
  expect(make).toThrow(/** @type {any} */ (type));
  expect(make).toThrow(/** @type {any} */ (message));
});

test.for([
  ["flakey", TypeError, /use\(\): there is no scenario "flakey"/],
  [undefined, TypeError, /use\(\) must be an object, not undefined/],
  [{ latency: -1 }, RangeError, /use\(\): latency/],
  [{ latency: () => 1, jitter: 5 }, TypeError, /use\(\): there is no "jitter", only latency, respond/],
])("use(%o) is refused, and changes nothing", async ([behaviour, type, message]) => {
  const service = createFakeService({ scenario: "expired-token" });
  const use = () => service.use(/** @type {any} */ (behaviour));
  expect(use).toThrow(/** @type {any} */ (type));
  expect(use).toThrow(/** @type {any} */ (message));
  expect((await service.fetch(`${service.baseUrl}Findings/1`)).status).toBe(401);
});

test("a kind that is none is refused", () => {
  expect(() => createFakeService().findings(/** @type {any} */ ("topic"))).toThrow(/kind must be .*, not "topic"/);
});

test("options that are undefined mean their defaults", () => {
  const undefinedOptions = { seed: undefined, sentiment: undefined, scenario: undefined, faults: undefined };
  expect(createFakeService(undefinedOptions).findings("topics")).toEqual(createFakeService().findings("topics"));
  expect(createFakeService({ faults: { latency: undefined, slice: undefined } }).baseUrl).toBe(
    "https://findings.test/",
  );
});

test("a base URL gets the slash at its end", () => {
  expect(createFakeService({ baseUrl: "https://service.test/cxi" }).baseUrl).toBe("https://service.test/cxi/");
  expect(createFakeService({ baseUrl: new URL("http://localhost:80") }).baseUrl).toBe("http://localhost/");
});
