/** The retrievals of the soak test: each is chosen at random by its number, and its outcome is checked. */

import { FindingsClient, FindingsError, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { countListeners } from "../../browser/listeners.js";
import { Random } from "../../random.js";
import { allFindings, operations } from "./operations.js";
import { pause } from "./resources.js";
import * as runtime from "./runtime.js";
import { inspections, largest, readCorrectResults } from "./service.js";

/** @typedef {import("inspection-findings").StreamOptions} StreamOptions */

/** The plain functions: each is called like the client's method. */
const functions = /** @type {FindingsClient} */ ({ getFindings, getPartition, getPartitionCounts });

/** The number of parallel retrievals. */
const lanes = 8;

/** A signal that is never aborted, and a client, both of which live as long as the page. */
const lasting = new AbortController();
const listeners = countListeners(lasting.signal);
const client = new FindingsClient({ ...runtime.clientOptions, signal: lasting.signal, concurrency: 12 });

/** The value that callbacks throw. */
class Thrown extends Error {}

/** The reason of aborts. */
class Aborted extends Error {}

/** The resources that the package holds. */
export async function held() {
  return { ...(await runtime.held()), listeners: listeners.left };
}

/**
 * Makes retrievals, several in parallel.
 * @param {number} seed
 * @param {number} from the number of the first retrieval
 * @param {number} count
 * @param {boolean} isDeadly whether workers die meanwhile
 * @returns {Promise<{ outcomes: Record<string, number>, wrong: string[] }>}
 */
export async function retrieveSome(seed, from, count, isDeadly) {
  /** @type {Record<string, number>} */
  const outcomes = {};
  /** @type {string[]} */
  const wrong = [];
  const numbers = Array.from({ length: count }, (_, place) => from + place);
  const lane = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const choice = choose(seed, number);
      const outcome = await outcomeOf(isDeadly ? choice : { ...choice, death: undefined });
      outcomes[outcome.name] = (outcomes[outcome.name] ?? 0) + 1;
      if (!outcome.isAllowed) {
        wrong.push(`retrieval ${number} (${choice.words}): ${outcome.name}`);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { outcomes, wrong };
}

/** Holds at least as much at once as any random retrievals can. */
export async function retrieveMost() {
  readCorrectResults();
  const { fetch } = runtime.serve({ seeds: [0, 0], probability: 0 });
  const tables = await Promise.all(
    Array.from({ length: 2 * lanes }, () => client.loadTable(largest, "topics", { fetch })),
  );
  for (const table of tables) {
    table.sortBy("Comment").free();
    table.toArray();
    table.free();
  }
}

/**
 * Makes the retrieval with a number. Its choices depend only on the seed.
 * @param {number} seed
 * @param {number} number
 */
function choose(seed, number) {
  const random = new Random("retrieval", seed, number);
  const inspectionKey = random.integer(1, largest);
  const kind = random.oneOf(/** @type {const} */ (["sentiment", "topics"]));
  const index = random.integer(0, Math.max(0, inspections[inspectionKey][kind].partitions - 1));
  const target = { inspectionKey, kind, index };
  const operation = random.oneOf(operations.filter(({ suits }) => suits?.(target) ?? true));
  const ways = /** @type {const} */ (["lasting client", "own client", "own client, freed meanwhile", "function"]);
  const way = random.oneOf(operation.isFunction ? ways : ways.slice(0, 3));
  const end = random.chance(0.25) ? "aborted" : "left alone";
  const moment = random.oneOf([0, random.integer(0, 5), random.integer(0, 60)]);
  const probability = random.oneOf([0, 0, 0.02, 0.1, 0.5]);
  const words = [operation.name, way, end, `after ${moment} ms`, `faults ${probability}`, ...Object.values(target)];
  const callbacks = chooseCallbacks(random);
  const settings = chooseSettings(random);
  const death = random.chance(0.25) ? random.oneOf(runtime.waysOfDeath) : undefined;
  return { seeds: [seed, number], target, operation, way, end, moment, probability, callbacks, settings, death, words };
}

/** @typedef {ReturnType<typeof choose>} Choice */

/** @param {Random} random */
function chooseSettings(random) {
  return {
    ...(random.chance(0.5) ? { concurrency: random.integer(1, 8) } : {}),
    // Short enough that a service without responses does not delay the soak test.
    timeout: random.chance(0.3) ? random.integer(1, 60) : 400,
    ...(random.chance(0.1) ? { totalTimeout: random.integer(1, 300) } : {}),
    retries: random.integer(0, 2),
    maxRetryAfter: random.oneOf([0, 100]),
    ...(random.chance(0.05) ? { maxPartitionBytes: random.integer(1, 20_000) } : {}),
  };
}

/** @param {Random} random */
function chooseCallbacks(random) {
  const isThrown = random.chance(0.08);
  const when = random.integer(0, 4);
  const isPromise = random.chance(0.5);
  let asked = 0;
  /** @param {() => any} give */
  const callback = (give) => () => {
    if (isThrown && asked++ === when) {
      const thrown = new Thrown("a callback has thrown");
      if (isPromise) {
        return Promise.reject(thrown);
      }
      throw thrown;
    }
    return give();
  };
  const headers = random.oneOf([
    { authentication: "a token" },
    callback(() => ({ authentication: "a token" })),
    callback(() => pause(1).then(() => new Headers({ authorization: "Bearer x" }))),
    undefined,
  ]);
  const onProgress = random.oneOf([callback(() => {}), undefined]);
  return { ...(headers && { headers }), ...(onProgress && { onProgress }), isThrown };
}

/**
 * @param {Choice} choice
 * @returns {Promise<{ name: string, isAllowed: boolean }>}
 */
async function outcomeOf(choice) {
  const { fetch, codes } = runtime.serve(choice);
  const deathsBefore = runtime.deathsSoFar();
  const { death, operation, target } = choice;
  const killed = death && pause(choice.moment).then(() => runtime.kill(death));
  try {
    const result = JSON.stringify(await retrieve(choice, fetch));
    const isAllowed = result === (operation.expected ?? allFindings)(target);
    return { name: isAllowed ? "the correct result" : "a wrong result", isAllowed };
  } catch (error) {
    // A body that was lost with its worker fails as one for which there is no memory.
    if (runtime.deathsSoFar() > deathsBefore) codes.add("memory");
    return judge(choice, codes, error);
  } finally {
    await killed;
  }
}

/**
 * @param {Choice} choice
 * @param {StreamOptions["fetch"]} fetch by which its requests reach the service
 */
async function retrieve({ target, operation, way, end, moment, callbacks, settings }, fetch) {
  const { isThrown: _, ...given } = callbacks;
  const aborting = end === "aborted" ? new AbortController() : lasting;
  /** @type {StreamOptions} */
  const options = { ...settings, ...given, fetch, signal: aborting.signal };
  if (aborting !== lasting) {
    pause(moment).then(() => aborting.abort(new Aborted("enough")));
  }
  if (way === "function") return await operation.call(functions, target, { ...runtime.clientOptions, ...options });
  if (way === "lasting client") return await operation.call(client, target, options);
  using own = new FindingsClient(runtime.clientOptions);
  if (way === "own client, freed meanwhile") pause(moment).then(() => own.free());
  return await operation.call(own, target, options);
}

/**
 * Whether this retrieval may end with an error.
 * @param {Choice} choice
 * @param {Set<string>} codes that the faults may cause
 * @param {any} error
 */
function judge({ way, end, callbacks, settings }, codes, error) {
  if (error instanceof FindingsError) {
    const { code } = error;
    const isAllowed =
      codes.has(code) ||
      // A busy machine may exceed any timeout.
      code === "timeout" ||
      (code === "too-large" && settings.maxPartitionBytes !== undefined);
    return { name: code, isAllowed };
  }
  if (error instanceof Thrown) {
    return { name: "what a callback has thrown", isAllowed: callbacks.isThrown };
  }
  if (error instanceof Aborted) {
    return { name: "the reason of the abort", isAllowed: end === "aborted" };
  }
  const isFreed = error instanceof TypeError && error.message === "this FindingsClient has been freed";
  return { name: String(error), isAllowed: isFreed && way === "own client, freed meanwhile" };
}
