/** A page that goes offline, beside that of the tests, which must stay connected to the test runner. */

/**
 * The outcomes of a request for a partition in a page.
 * @typedef {object} Seen
 * @property {boolean} onLine the value of `navigator.onLine`
 * @property {string} direct the outcome of `fetch` itself
 * @property {object} call the outcome of the package
 */

/** Limits that have no effect. Without any, `navigator.onLine` has the state of the machine. */
const hardlyLimited = { latency: 1, downloadThroughput: 1e9, uploadThroughput: 1e9 };

/**
 * Records the outcomes online, offline, and online again.
 * @param {import("vitest/node").BrowserCommandContext} command
 * @param {string} origin that serves the package
 * @param {string} baseUrl of the service
 * @returns {Promise<Seen[]>}
 */
export async function callOffline({ context }, origin, baseUrl) {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  /** @type {Seen[]} */
  const seen = [];
  try {
    await page.goto(`${origin}/package/index.js`);
    for (const offline of [false, true, false]) {
      await session.send("Network.emulateNetworkConditions", { offline, ...hardlyLimited });
      seen.push(await page.evaluate(ask, { entry: `${origin}/package/index.js`, baseUrl }));
    }
  } finally {
    await page.close();
  }
  return seen;
}

/**
 * Runs in that page.
 * @param {{ entry: string, baseUrl: string }} addresses
 * @returns {Promise<Seen>}
 */
async function ask({ entry, baseUrl }) {
  const { getPartition } = await import(entry);
  const direct = await fetch(`${baseUrl}Findings/1/Topics/0`).then(({ status }) => String(status), String);
  const call = await getPartition(1, "topics", 0, { baseUrl, retries: 1 }).then(
    (/** @type {unknown[]} */ findings) => ({ findings: findings.length }),
    (/** @type {any} */ { code, attempts, cause }) => ({ code, attempts, cause: String(cause) }),
  );
  return { onLine: navigator.onLine, direct, call };
}
