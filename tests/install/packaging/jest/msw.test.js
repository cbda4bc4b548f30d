import { getFindings } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { http } from "msw";
import { setupServer } from "msw/node";

const service = createFakeService({ baseUrl: "https://service.example/cxi/" });
const server = setupServer(http.all(`${service.baseUrl}Findings/*`, ({ request }) => service.fetch(request)));

beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterAll(() => server.close());

test("the page's own client reaches the fake service by MSW 2", async () => {
  expect(await getFindings(42, "topics", { baseUrl: service.baseUrl })).toEqual(service.findings("topics"));
  expect(service.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});
