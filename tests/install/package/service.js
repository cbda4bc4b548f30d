/** The service of packaged code: a fake service over HTTP. */

import { createFakeService } from "inspection-findings/testing";
import { serveFake } from "../../wire/service/http-server.js";

/** Lets pages of every origin send requests. */
const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "authorization, traceparent" };

const size = { findings: 7, partitions: 1 };
const invented = createFakeService({ sentiment: size, topics: size });

/** All findings of each kind, in order. */
export const findings = { sentiment: invented.findings("sentiment"), topics: invented.findings("topics") };

for (const [index, finding] of [...findings.sentiment.entries(), ...findings.topics.entries()]) {
  finding.TopicGroup = index % 2 === 0 ? "Größe" : null;
}

/** The inspection whose counts announce no totals, and whose partitions, of one finding each, are enough for a worker. */
export const longInspection = 14;

/** Starts the service on a free port. `requests` are the paths of all GET requests. */
export async function startService() {
  /** @type {string[]} */
  const requests = [];
  const { sentiment, topics } = findings;
  const { fake, close } = await serveFake(
    {
      sentiment: [sentiment.slice(0, 4), [], sentiment.slice(4)],
      topics: [topics.slice(0, 2), topics.slice(2)],
      scenario: { respond },
    },
    ({ url }) => requests.push(new URL(url).pathname),
    cors,
  );
  return { baseUrl: fake.baseUrl, requests, close };
}

/** @param {import("inspection-findings/testing").FakeRequest} request */
function respond({ inspectionKey, kind, partitionIndex }) {
  if (inspectionKey !== String(longInspection)) return undefined;
  if (kind === undefined) return Response.json({ SentimentPartitions: size.findings, TopicPartitions: size.findings });
  return Response.json({ Findings: [findings[kind][Number(partitionIndex)]], errors: null });
}
