/** The retrievals of the soak test: each is chosen at random by its number, and its outcome is checked. */

import { FindingsClient, FindingsError, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { countListeners } from "../../browser/listeners.js";
import { Random } from "../../random.js";
import { inPage } from "./in-page.js";
import { inWorker } from "./in-worker.js";
import { pause } from "./resources.js";
import { correctCounts, correctResult, inspections, largest, readCorrectResults } from "./service.js";

/** @typedef {import("inspection-findings").StreamOptions} StreamOptions */
/** @typedef {"sentiment" | "topics"} Kind */

/**
 * The findings to retrieve.
 * @typedef {object} Target
 * @property {number} inspectionKey
 * @property {Kind} kind
 * @property {number} index of a partition
 */

/**
 * A kind of retrieval.
 * @typedef {object} Operation
 * @property {string} name
 * @property {(target: Target) => boolean} [suits] whether it applies; always by default
 * @property {(target: Target) => string} expected the expected result, as JSON
 * @property {(client: FindingsClient, target: Target, options: StreamOptions) => Promise<unknown>} byClient
 * @property {(target: Target, options: StreamOptions) => Promise<unknown>} [byFunction]
 */

/**
 * The thread that decodes bodies, with the service.
 * @typedef {object} Runtime
 * @property {number} deaths of its workers
 * @property {StreamOptions} options of all clients
 * @property {(retrieval: { seeds: number[], probability: number }) => Served} serve prepares the service for a retrieval
 * @property {(way: Death) => Promise<void>} kill lets its worker die
 * @property {() => Promise<{ requests: number, worker?: WorkerHeld & { started: number, deaths: number } }>} held
 */

/**
 * The service for one retrieval.
 * @typedef {object} Served
 * @property {StreamOptions} options of the retrieval
 * @property {Set<string>} codes of the errors that its faults so far may cause
 * @property {() => void} end forgets it
 */

/** @typedef {import("./in-worker.js").WorkerHeld} WorkerHeld */

/** @typedef {typeof waysOfDeath[number]} Death */

/** The ways in which a worker dies: by an error of its script, in silence, or because its module stops. */
const waysOfDeath = /** @type {const} */ (["throw", "close", "stop"]);

/** @type {readonly Operation[]} */
const operations = [
  {
    name: "getFindings",
    expected: ({ inspectionKey, kind }) => correctResult(inspectionKey, kind),
    byClient: (client, { inspectionKey, kind }, options) => client.getFindings(inspectionKey, kind, options),
    byFunction: ({ inspectionKey, kind }, options) => getFindings(inspectionKey, kind, options),
  },
  {
    name: "getPartition",
    suits: ({ inspectionKey, kind }) => inspections[inspectionKey][kind].partitions > 0,
    expected: ({ inspectionKey, kind, index }) => correctResult(inspectionKey, kind, index),
    byClient: (client, { inspectionKey, kind, index }, options) =>
      client.getPartition(inspectionKey, kind, index, ofPartition(options)),
    byFunction: ({ inspectionKey, kind, index }, options) =>
      getPartition(inspectionKey, kind, index, ofPartition(options)),
  },
  {
    name: "getPartitionCounts",
    expected: ({ inspectionKey }) => correctCounts(inspectionKey),
    byClient: (client, { inspectionKey }, options) => client.getPartitionCounts(inspectionKey, ofCounts(options)),
    byFunction: ({ inspectionKey }, options) => getPartitionCounts(inspectionKey, ofCounts(options)),
  },
  {
    name: "loadTable, free",
    expected: ({ inspectionKey, kind }) => correctResult(inspectionKey, kind),
    async byClient(client, { inspectionKey, kind }, options) {
      const table = await client.loadTable(inspectionKey, kind, options);
      const findings = table.toArray();
      table.free();
      return findings;
    },
  },
  {
    name: "loadTable, using, with views",
    expected: ({ inspectionKey, kind }) => correctResult(inspectionKey, kind),
    async byClient(client, { inspectionKey, kind }, options) {
      using table = await client.loadTable(inspectionKey, kind, options);
      using view = table.filter({});
      return table.columns.includes("Comment") ? inItsOrder(view, table.length) : view.slice();
    },
  },
  {
    name: "loadTable, left to the garbage collector",
    // Not freed here: garbage collection frees it.
    suits: ({ inspectionKey }) => inspectionKey < 4,
    expected: ({ inspectionKey, kind }) => correctResult(inspectionKey, kind),
    async byClient(client, { inspectionKey, kind }, options) {
      return [...(await client.loadTable(inspectionKey, kind, options))];
    },
  },
  {
    name: "watchTable, with queries on every snapshot, free",
    expected: ({ inspectionKey, kind }) => correctResult(inspectionKey, kind),
    async byClient(client, { inspectionKey, kind }, options) {
      const live = client.watchTable(inspectionKey, kind, options);
      const check = () => checkSnapshot(live.getSnapshot());
      live.subscribe(check);
      try {
        using table = await live.done;
        check();
        return table.toArray();
      } finally {
        live.free();
      }
    },
  },
  {
    name: "watchTable, left to the garbage collector with all its snapshots",
    expected: ({ inspectionKey, kind }) => correctResult(inspectionKey, kind),
    async byClient(client, { inspectionKey, kind }, options) {
      const live = client.watchTable(inspectionKey, kind, options);
      const snapshots = new Set([live.getSnapshot()]);
      live.subscribe(() => snapshots.add(live.getSnapshot()));
      await live.done;
      for (const snapshot of snapshots) checkSnapshot(snapshot);
      return live.getSnapshot().table.toArray();
    },
  },
  {
    name: "watchTable, freed half way, then another one",
    expected: ({ inspectionKey, kind }) => correctResult(inspectionKey, kind),
    async byClient(client, { inspectionKey, kind }, options) {
      const early = client.watchTable(inspectionKey, kind, options);
      await new Promise((resolve) => {
        early.subscribe(() => resolve(undefined));
        early.done.then(resolve, resolve);
      });
      early.free();
      using live = client.watchTable(inspectionKey, kind, options);
      await live.done;
      return live.getSnapshot().table.toArray();
    },
  },
  {
    name: "watchTable, collecting, and resumed",
    expected: ({ inspectionKey, kind }) => correctResult(inspectionKey, kind),
    async byClient(client, { inspectionKey, kind }, options) {
      using live = client.watchTable(inspectionKey, kind, { ...options, failurePolicy: "collect" });
      for (let run = 0; ; run++) {
        try {
          return (await live.done).toArray();
        } catch (error) {
          if (live.getSnapshot().state !== "partial" || !(error instanceof FindingsError && error.failures))
            throw error;
          if (run === 2) throw error.failures[0].error;
          checkSnapshot(live.getSnapshot());
          live.resume();
        }
      }
    },
  },
  {
    name: "streamPartitions",
    expected: ({ inspectionKey, kind }) => correctResult(inspectionKey, kind),
    async byClient(client, { inspectionKey, kind }, options) {
      const all = [];
      for await (const { findings } of client.streamPartitions(inspectionKey, kind, options)) {
        all.push(findings);
      }
      return all.flat();
    },
  },
  {
    name: "streamPartitions, left half way, then getFindings",
    expected: ({ inspectionKey, kind }) => correctResult(inspectionKey, kind),
    async byClient(client, { inspectionKey, kind }, options) {
      for await (const { index } of client.streamPartitions(inspectionKey, kind, { ...options, order: "completion" })) {
        if (index > 0) break;
      }
      return client.getFindings(inspectionKey, kind, options);
    },
  },
  {
    name: "getFindings, collecting, and gone on with",
    expected: ({ inspectionKey, kind }) => correctResult(inspectionKey, kind),
    async byClient(client, { inspectionKey, kind }, options) {
      let call = () => client.getFindings(inspectionKey, kind, { ...options, failurePolicy: "collect" });
      for (let run = 0; run < 3; run++) {
        try {
          return await call();
        } catch (error) {
          if (!(error instanceof FindingsError && error.code === "partial" && error.findings)) throw error;
          if (run === 2) throw error.failures[0].error;
          call = error.resume;
        }
      }
    },
  },
];

/** Options that apply to a call for one partition. */
function ofPartition(/** @type {StreamOptions} */ { concurrency: _, ...options }) {
  return options;
}

/** Options that apply to a call for the counts. */
function ofCounts(/** @type {StreamOptions} */ { concurrency: _, onProgress: __, ...options }) {
  return options;
}

/**
 * Asks a snapshot what a page would, and checks that the responses agree.
 * @param {import("inspection-findings").LiveSnapshot<any>} snapshot
 */
function checkSnapshot({ table, progress }) {
  const column = table.columns[0];
  const counted =
    column === undefined ? table.length : table.countBy(column).reduce((sum, { count }) => sum + count, 0);
  using all = table.filter({});
  if (progress.findingsDone !== table.length || counted !== table.length || all.length !== table.length) {
    throw new Error(`a snapshot of ${progress.findingsDone} findings has ${table.length}, counted ${counted}`);
  }
}

/**
 * The rows of a view, after queries that must not change them.
 * @param {import("inspection-findings").FindingsTable<any>} view
 * @param {number} length
 */
function inItsOrder(view, length) {
  using sorted = view.sortBy("Comment", "desc");
  const total = sorted.countBy("Comment").reduce((sum, { count }) => sum + count, 0);
  if (sorted.length !== length || total !== length) {
    throw new Error(`${length} findings became ${sorted.length} when sorted and ${total} when counted`);
  }
  return view.toArray();
}

/** @type {Runtime} */
const runtime = new URL(location.href).searchParams.has("worker") ? inWorker : inPage;

/** A signal that is never aborted, and a client, both of which live as long as the page. */
const lasting = new AbortController();
const listeners = countListeners(lasting.signal);
const client = new FindingsClient({ ...runtime.options, signal: lasting.signal, concurrency: 12 });

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

/** The number of parallel retrievals. */
const lanes = 8;

/** Holds at least as much at once as any random retrievals can. */
export async function retrieveMost() {
  readCorrectResults();
  const { options, end } = runtime.serve({ seeds: [0, 0], probability: 0 });
  const tables = await Promise.all(
    Array.from({ length: 2 * lanes }, () => client.loadTable(largest, "topics", options)),
  );
  end();
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
  const way = random.oneOf(operation.byFunction === undefined ? ways.slice(0, 3) : ways);
  const end = random.chance(0.25) ? "aborted" : "left alone";
  const moment = random.oneOf([0, random.integer(0, 5), random.integer(0, 60)]);
  const probability = random.oneOf([0, 0, 0.02, 0.1, 0.5]);
  const words = [operation.name, way, end, `after ${moment} ms`, `faults ${probability}`, ...Object.values(target)];
  const callbacks = chooseCallbacks(random);
  const settings = chooseSettings(random);
  const death = random.chance(0.25) ? random.oneOf(waysOfDeath) : undefined;
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
  const { options, codes, end } = runtime.serve(choice);
  const deathsBefore = runtime.deaths;
  const { death } = choice;
  const killed = death && pause(choice.moment).then(() => runtime.kill(death));
  try {
    const result = JSON.stringify(await retrieve(choice, options));
    const isAllowed = result === choice.operation.expected(choice.target);
    return { name: isAllowed ? "the correct result" : "a wrong result", isAllowed };
  } catch (error) {
    // A body that was lost with its worker fails as one for which there is no memory.
    if (runtime.deaths > deathsBefore) codes.add("memory");
    return judge(choice, codes, error);
  } finally {
    await killed;
    end();
  }
}

/**
 * @param {Choice} choice
 * @param {StreamOptions} served by which its requests reach the service
 */
async function retrieve({ target, operation, way, end, moment, callbacks, settings }, served) {
  const { isThrown: _, ...functions } = callbacks;
  const aborting = end === "aborted" ? new AbortController() : lasting;
  /** @type {StreamOptions} */
  const options = { ...settings, ...functions, ...served, signal: aborting.signal };
  if (aborting !== lasting) {
    pause(moment).then(() => aborting.abort(new Aborted("enough")));
  }
  if (way === "function") {
    return await operation.byFunction?.(target, { ...runtime.options, ...options });
  }
  if (way === "lasting client") {
    return await operation.byClient(client, target, options);
  }
  using own = new FindingsClient(runtime.options);
  if (way === "own client, freed meanwhile") {
    pause(moment).then(() => own.free());
  }
  return await operation.byClient(own, target, options);
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
