/** Random calls of several users of one client, each in an asynchronous context: every function of a user runs in it, and sends the user's token. */

const PARTITIONS = 4;

const FUNCTIONS = [
  "headers",
  "headers of the call",
  "fetch",
  "readCounts",
  "onProgress",
  "onPartition",
  "a subscriber",
];

/** @typedef {{ within: <Result>(user: number, run: () => Result) => Result, current: () => unknown }} Contexts */

/**
 * Makes the calls of so many seeds. Throws unless each function was called, always in the context of its user.
 * @param {typeof import("inspection-findings").FindingsClient} FindingsClient
 * @param {Contexts} contexts
 * @param {number} times
 * @param {boolean} [worker] whether a worker decodes the bodies
 */
export async function checkContexts(FindingsClient, contexts, times, worker = false) {
  const seeds = Array.from({ length: times }, (_, seed) => callsOfUsers(FindingsClient, contexts, seed, worker));
  const calls = await Promise.all(seeds);
  const wrong = calls.flatMap(({ wrong }, seed) => wrong.map((what) => `${what}, with the seed ${seed}`));
  if (wrong.length > 0) throw new Error(wrong.slice(0, 20).join("\n"));
  for (const name of FUNCTIONS)
    if (!calls.some(({ seen }) => seen[name] > 0)) throw new Error(`${name} was not called`);
}

/**
 * Writes files for two users at once. Throws unless each function of progress was called, always in the context of its user.
 * @param {((rows: object[], options: import("inspection-findings/export").ExportOptions) => Promise<Blob>)[]} writers
 * @param {Contexts} contexts
 */
export async function checkExports(writers, { within, current }) {
  const rows = Array.from({ length: 2_000 }, (_, row) => ({ row, text: "a text of each row" }));
  const files = writers.flatMap((write) =>
    [1, 2].map(async (user) => {
      /** @type {unknown[]} */
      const seen = [];
      await within(user, () => write(rows, { onProgress: () => void seen.push(current()) }));
      if (seen.length < 2 || seen.some((one) => one !== user)) throw new Error(`${write.name} of ${user} in ${seen}`);
    }),
  );
  await Promise.all(files);
}

/**
 * Makes the calls of a seed. Returns how often each function was called, and what was wrong.
 * @param {typeof import("inspection-findings").FindingsClient} FindingsClient
 * @param {Contexts} contexts
 * @param {number} seed
 * @param {boolean} worker
 */
async function callsOfUsers(FindingsClient, { within, current }, seed, worker) {
  /** @type {Record<string, number>} */
  const seen = {};
  /** @type {string[]} */
  const wrong = [];
  let state = seed;
  /** An integer below a limit. @param {number} limit */
  const below = (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 16) % limit;
  };
  const pause = () => new Promise((resolve) => setTimeout(resolve, below(4)));
  const users = [0, 1, 2].map((user) => ({ user, token: 0, expires: below(12) }));
  /** @param {string} name @param {number} user */
  const see = (name, user) => {
    seen[name] = (seen[name] ?? 0) + 1;
    if (current() !== user) wrong.push(`${name} of ${user} in the context of ${current()}`);
  };
  /** The token of whoever the context says: a function that all users share. @param {{ status?: number | undefined }} context */
  const headersOfContext = async ({ status }) => {
    const user = /** @type {number} */ (current());
    const own = users[user] ?? { token: "none" };
    seen.headers = (seen.headers ?? 0) + 1;
    await pause();
    if (status === 401) own.token++;
    return { authorization: `${user}/${own.token}` };
  };
  /** @param {string} href @param {RequestInit} [init] */
  const fetch = async (href, init) => {
    const [, key, partition] = /Findings\/(\d)(?:\/Topics\/(\d))?$/.exec(href) ?? [];
    const own = users[Number(key)];
    see("fetch", own.user);
    const token = new Headers(init?.headers).get("authorization");
    if (!token?.startsWith(`${key}/`)) wrong.push(`a request of ${key} with the token ${token}`);
    await pause();
    if (own.expires-- === 0) own.token++;
    if (token !== `${key}/${own.token}`) return new Response(null, { status: 401 });
    if (below(6) === 0) return new Response(null, { status: 503, headers: { "retry-after": "0" } });
    const counts = { TopicPartitions: PARTITIONS, TopicFindings: PARTITIONS };
    return Response.json(partition === undefined ? counts : { Findings: [{ StringKey: Number(partition) }] });
  };
  const client = new FindingsClient({
    ...{ baseUrl: "https://service.test/", worker, concurrency: 1 + below(8), retries: 20, fetch },
    headers: headersOfContext,
  });
  const call = async (/** @type {number} */ user) => {
    const controller = new AbortController();
    /** @type {(context: { status?: number | undefined }) => Promise<Record<string, string>>} */
    const headers = (context) => {
      see("headers of the call", user);
      return headersOfContext(context);
    };
    /** @type {import("inspection-findings").StreamOptions} */
    const options = {
      ...(below(2) === 0 && { headers }),
      ...(below(3) === 0 && { signal: controller.signal }),
      onProgress: () => see("onProgress", user),
      onPartition: () => see("onPartition", user),
      readCounts: () => {
        see("readCounts", user);
        return { sentiment: { partitions: 0 }, topics: { partitions: PARTITIONS, findings: null } };
      },
    };
    const { readCounts, onProgress, ...ofPartition } = options;
    const ofClient = within(user, () => (below(2) === 0 ? client.extend({ concurrency: 1 + below(4) }) : client));
    if (options.signal) void pause().then(() => controller.abort());
    switch (below(4)) {
      case 0:
        return within(user, () => ofClient.getPartition(user, "topics", below(PARTITIONS), ofPartition));
      case 1: {
        const stream = within(user, () => ofClient.streamPartitions(user, "topics", options));
        let left = 1 + below(PARTITIONS + 1);
        for await (const _ of stream) if (--left === 0) break;
        return;
      }
      case 2: {
        const collecting = { ...options, failurePolicy: /** @type {const} */ ("collect"), retries: 0 };
        let next = within(user, () => ofClient.getFindings(user, "topics", collecting));
        for (;;) {
          const error = await next.then(
            () => undefined,
            (reason) => reason,
          );
          if (error?.resume === undefined) return;
          next = within(user, () => error.resume({ retries: 20 }));
        }
      }
      default: {
        const live = within(user, () => ofClient.watchTable(user, "topics", options));
        within(user, () => live.subscribe(() => see("a subscriber", user)));
        if (below(2) === 0) {
          await pause();
          live.cancel();
          await live.done.catch(() => {});
          within(user, live.resume);
        }
        await live.done.catch(() => {});
        live.free();
      }
    }
  };
  const calls = Array.from({ length: 12 }, (_, index) =>
    pause()
      .then(() => call(index % users.length))
      .catch(() => {}),
  );
  await Promise.all(calls);
  client.free();
  return { seen, wrong };
}
