// A response that streams findings as lines of JSON.

import process from "node:process";
import { FindingsClient } from "inspection-findings";

const client = new FindingsClient({
  baseUrl: process.env.FINDINGS_URL,
  headers: { Authorization: process.env.FINDINGS_TOKEN ?? "" },
});

/**
 * @param {import("inspection-findings").InspectionKey} inspectionKey
 * @param {AbortSignal} signal of the request, so that nothing is fetched for a reader that has left
 */
export function findingsResponse(inspectionKey, signal) {
  const lines = new TransformStream({
    transform({ findings }, controller) {
      for (const finding of findings) controller.enqueue(`${JSON.stringify(finding)}\n`);
    },
  });
  const partitions = client.streamPartitions(inspectionKey, "topics", { signal }).toReadableStream();
  return new Response(partitions.pipeThrough(lines).pipeThrough(new TextEncoderStream()), {
    headers: { "content-type": "application/x-ndjson" },
  });
}
