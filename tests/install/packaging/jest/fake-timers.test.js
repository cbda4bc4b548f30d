import { jest } from "@jest/globals";
import { FindingsClient, getFindings } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";

const service = createFakeService({ topics: { findings: 300, partitions: 6 } });
const options = { baseUrl: service.baseUrl, fetch: service.fetch };

afterEach(() => {
  jest.useRealTimers();
  service.reset();
});

test("a service that sends nothing for a minute times out", async () => {
  await new FindingsClient().preload();
  jest.useFakeTimers();
  service.use({ latency: 60_000 });
  const failed = expect(getFindings(42, "topics", { ...options, retries: 0 })).rejects.toMatchObject({
    code: "timeout",
  });
  await jest.advanceTimersByTimeAsync(60_000);
  await failed;
});

test.each(["slow", "jittered", "flaky", "rate-limited"])(
  "one advance completes a fetch of the %s service",
  async (scenario) => {
    jest.useFakeTimers();
    service.use(scenario);
    const fetched = getFindings(42, "topics", options);
    await jest.advanceTimersByTimeAsync(120_000);
    expect(await fetched).toEqual(service.findings("topics"));
  },
);
