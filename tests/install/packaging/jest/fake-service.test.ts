import { FindingsClient, getFindings } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";

const service = createFakeService({ topics: { findings: 300, partitions: 6 } });
const options: { baseUrl: string; fetch: typeof service.fetch } = { baseUrl: service.baseUrl, fetch: service.fetch };

afterEach(() => {
  jest.useRealTimers();
  service.reset();
});

test("a call retries a service that fails now and then", async () => {
  service.use("flaky");
  expect(await getFindings(42, "topics", options)).toEqual(service.findings("topics"));
  expect(service.requests.filter(({ status }) => status === 500)).toHaveLength(7);
});

test("calls after a test with fake timers get their findings and tables", async () => {
  jest.useFakeTimers();
  service.use({ latency: 60_000 });
  const client = new FindingsClient(options);
  client.loadTable(42, "topics").catch(() => {});
  await jest.advanceTimersByTimeAsync(1);
  jest.useRealTimers();
  service.reset();
  expect(await client.getFindings(42, "topics")).toEqual(service.findings("topics"));
  expect((await client.loadTable(42, "topics")).length).toBe(300);
});
