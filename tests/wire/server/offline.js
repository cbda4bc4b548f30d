/** A page that goes offline: one beside that of the tests, which needs its own connection to the test runner. */

/**
 * What a page sees that asks for a partition.
 * @typedef {object} Seen
 * @property {boolean} onLine what `navigator.onLine` says
 * @property {string} direct what `fetch` itself comes to
 * @property {object} call what the package comes to
 */

/** A limit that nothing reaches: without any, the browser says of itself what is true of the machine. */
const hardlyLimited = { latency: 1, downloadThroughput: 1e9, uploadThroughput: 1e9 };

/**
 * What that page sees online, offline, and online again.
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
