/** The scenario of a service whose partitions are bodies of a test. */

/**
 * The sentiment findings have these bodies; where one is undefined, the partition is refused.
 * @param {readonly (string | undefined)[]} bodies
 * @param {number} [findings] how many the counts announce
 * @returns {import("inspection-findings/testing").Scenario}
 */
export function scenarioOf(bodies, findings = countIn(bodies)) {
  const sentiment = { SentimentPartitions: bodies.length, SentimentFindings: findings };
  return {
    respond({ partitionIndex }) {
      if (partitionIndex === undefined) return Response.json({ ...sentiment, TopicPartitions: 0, TopicFindings: 0 });
      const body = bodies[partitionIndex];
      const headers = { "x-request-id": `of ${partitionIndex}` };
      return new Response(body, { status: body === undefined ? 404 : 200, headers });
    },
  };
}

/** @param {readonly (string | undefined)[]} bodies */
function countIn(bodies) {
  const counts = bodies.map((body) =>
    body === undefined ? 1 : JSON.parse(body.replace("\ufeff", "")).Findings.length,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
