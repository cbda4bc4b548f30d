import { FindingsClient, getFindings } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { afterEach, expect, test, vi } from "vitest";

const service = createFakeService({ topics: { findings: 300, partitions: 6 } });
const options = { baseUrl: service.baseUrl, fetch: service.fetch };

afterEach(() => {
  vi.useRealTimers();
  service.reset();
});

test("a service that sends nothing for a minute times out", async () => {
  await new FindingsClient().preload();
  vi.useFakeTimers();
  service.use({ latency: 60_000 });
  const failed = expect(getFindings(42, "topics", { ...options, retries: 0 })).rejects.toMatchObject({
    code: "timeout",
  });
  await vi.advanceTimersByTimeAsync(60_000);
  await failed;
});

test.each(["slow", "jittered", "flaky", "rate-limited"])(
  "one advance completes a fetch of the %s service",
  async (scenario) => {
    vi.useFakeTimers();
    service.use(scenario);
    const fetched = getFindings(42, "topics", options);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(await fetched).toEqual(service.findings("topics"));
  },
);
