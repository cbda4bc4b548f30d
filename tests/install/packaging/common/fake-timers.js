/** Fake timers: one advance completes a whole call. The first test is that of the guide, and the first of its file. */

import { FindingsClient, getFindings } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";

const service = createFakeService({ topics: { findings: 300, partitions: 6 } });
const options = { baseUrl: service.baseUrl, fetch: service.fetch };

export function testFakeTimers({ afterEach, expect, test, timers }) {
  afterEach(() => {
    timers.useRealTimers();
    service.reset();
  });

  test("a service that sends nothing for a minute times out", async () => {
    await new FindingsClient().preload();
    timers.useFakeTimers();
    service.use({ latency: 60_000 });
    const failed = expect(getFindings(42, "topics", { ...options, retries: 0 })).rejects.toMatchObject({
      code: "timeout",
    });
    await timers.advanceTimersByTimeAsync(60_000);
    await failed;
  });

  test.each(["slow", "jittered", "flaky", "rate-limited"])(
    "one advance completes a fetch of the %s service",
    async (scenario) => {
      timers.useFakeTimers();
      service.use(scenario);
      const fetched = getFindings(42, "topics", options);
      await timers.advanceTimersByTimeAsync(120_000);
      expect(await fetched).toEqual(service.findings("topics"));
    },
  );
}
