/** The worker of the built-in service, which has the name of its scenario. Posts bodies as blobs, which are not copied. */

import { createFakeService, type FakeRequest, type FakeServiceOptions } from "inspection-findings/testing";
import { type ScenarioId, scenarios, urlOf } from "./scenarios.js";
import { storyPartition } from "./story.js";

export interface Request {
  href: string;
  headers: [string, string][];
}

export interface Reply {
  status: number;
  headers: [string, string][];
  body: Blob;
}

const { size, scenario, latency = 0, pace = 0, ...state } = scenarios[self.name as ScenarioId];
let { isExpired = false } = state;
/** When the last response of a paced service is due. */
let due = 0;

const service = createFakeService({ ...options(), baseUrl: urlOf(self.name as ScenarioId) });

/** The page posts each request with a port for the response, and the expiry of the token without one. */
addEventListener("message", async ({ data, ports: [port] }: MessageEvent<Request>) => {
  if (port === undefined) {
    isExpired = true;
    return;
  }
  if (pace > 0) {
    due = Math.max(performance.now(), due) + pace;
    await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
  }
  const response = await service.fetch(data.href, { headers: data.headers });
  const { status, headers } = response;
  port.postMessage({ status, headers: [...headers], body: await response.blob() } satisfies Reply);
});

function options(): FakeServiceOptions {
  if (size === undefined) return { scenario };
  if (scenario !== undefined) {
    const partitions = (kind: "sentiment" | "topics") =>
      Array.from({ length: size.partitions }, (_, index) => storyPartition(kind, index, size));
    return { scenario, sentiment: partitions("sentiment"), topics: partitions("topics") };
  }
  // Makes a partition when it is requested.
  const respond = ({ kind, partitionIndex = 0, headers }: FakeRequest) => {
    if (kind === undefined) return undefined;
    if (isExpired && headers.get("authorization") === "token-1") {
      return Response.json({ errors: ["The token has expired."] }, { status: 401 });
    }
    return Response.json({ Findings: storyPartition(kind, partitionIndex, size), errors: null });
  };
  return { sentiment: size, topics: size, scenario: { respond }, faults: { latency } };
}
