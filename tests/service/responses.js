/** The responses of a service: JSON, and refusals. */

/**
 * A JSON response.
 * @param {unknown} content
 * @param {{ status?: number, headers?: Record<string, string> }} [init]
 */
export function json(content, { status = 200, headers = {} } = {}) {
  const type = { "content-type": "application/json; charset=utf-8" };
  return new Response(JSON.stringify(content), { status, headers: { ...type, ...headers } });
}

/**
 * An error response with messages.
 * @param {number} status
 * @param {string} message
 */
export function refusal(status, message) {
  return json({ errors: [message] }, { status });
}
