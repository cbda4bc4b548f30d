/** The calls that the sweep disturbs, each with what it must return, and the service that they ask. */

import { events, host } from "./sweep-world.ts";

const PARTITIONS = 4;

/** The number of findings of a partition. */
export const size = { findings: 6 };

const { Headers } = globalThis;

function findingsOf(index: number, base: string) {
  return Array.from({ length: size.findings }, (_, at) => ({
    Comment: `${base} ${index}.${at} ä`,
    Sentiment: (at % 5) - 2,
    Topic: { Text: `topic ${at % 3}`, Score: at / 4 },
    TopicGroup: at % 2 === 1 ? "odd" : null,
  }));
}

const all = (base: string, partitions = PARTITIONS) =>
  Array.from({ length: partitions }, (_, index) => findingsOf(index, base)).flat();

/** The services by their base URLs, for requests by the global `fetch`, which a worker may send, too, because the engine's text is `[native code]`. */
const services = new host.Map<string, Service>();
globalThis.fetch = ((href: string, init: any) =>
  services.get(new URL("/", href).href)?.fetch(href, { ...init, headers: new Headers(init.headers) })) as never;
const { fetch } = globalThis;
Function.prototype.toString = function () {
  return this === fetch ? "function fetch() { [native code] }" : host.toString.call(this);
};

/** A service at a base URL, which notes what is wrong about its requests. */
export class Service {
  readonly requests: { href: string; signal: AbortSignal; isOver: boolean }[] = [];
  readonly wrong: string[] = [];
  /** The most requests at once. */
  most = 0;
  /** Called when the package calls code of the page. */
  hook = (_: string) => {};
  readonly headers: Record<string, string>;
  readonly #heads = new Headers({ "content-type": "application/json" });
  readonly #bodies: Record<string, Uint8Array> = {};

  /** @param failing the paths that are always refused; the others in `faults` once */
  constructor(
    readonly base: string,
    readonly failing = new host.Set<string>(),
    readonly faults = new host.Set<string>(),
    grown = 0,
  ) {
    services.set(base, this);
    this.headers = { authorization: `token of ${base}` };
    const encoder = new TextEncoder();
    const partitions = PARTITIONS + grown;
    for (let index = 0; index < partitions; index++) {
      const body = { Findings: findingsOf(index, base), errors: null };
      this.#bodies[`Topics/${index}`] = encoder.encode(JSON.stringify(body));
    }
    const counts = {
      SentimentPartitions: 0,
      TopicPartitions: partitions,
      TopicFindings: partitions * size.findings,
      errors: null,
    };
    this.#bodies[""] = encoder.encode(JSON.stringify(counts));
  }

  get options(): any {
    return { baseUrl: this.base, headers: this.headers, fetch: this.fetch };
  }

  readonly fetch = async (href: string, { headers, signal }: { headers: Headers; signal: AbortSignal }) => {
    this.#enter("fetch");
    const request = { href, signal, isOver: false };
    this.requests.push(request);
    const isOwn =
      href.startsWith(`${this.base}Findings/`) && headers.get("authorization") === this.headers.authorization;
    if (!isOwn) this.wrong.push(`${href} with ${headers.get("authorization")}`);
    const open = this.requests.filter(({ isOver }) => !isOver).length;
    if (open > this.most) this.most = open;
    try {
      await undefined;
      if (!href.endsWith("/0")) for (const _ of [1, 2]) await new host.Promise((resolve) => host.setImmediate(resolve));
      if (signal.aborted) throw signal.reason;
      const path = /Findings\/\d+\/?(.*)/.exec(href)?.[1] ?? "";
      const isRefused = this.failing.has(path) || this.faults.delete(path);
      return this.#response(isRefused ? 503 : 200, this.#bodies[path] as Uint8Array);
    } finally {
      events.count++;
      request.isOver = true;
    }
  };

  /** A response by its shape, whose members are code of the page. */
  #response(status: number, bytes: Uint8Array) {
    const enter = (name: string) => this.#enter(name);
    const heads = this.#heads;
    let isRead = false;
    const reader = {
      read: async () => {
        enter("reader.read");
        if (isRead) return { done: true };
        isRead = true;
        return { done: false, value: bytes };
      },
      cancel: async () => enter("reader.cancel"),
    };
    return {
      type: "basic",
      get status() {
        enter("response.status");
        return status;
      },
      get headers() {
        enter("response.headers");
        return heads;
      },
      get body() {
        enter("response.body");
        const getReader = (options?: object) => {
          enter("getReader");
          if (options !== undefined) throw new TypeError("this is no stream of bytes");
          return reader;
        };
        return { getReader, cancel: async () => {} };
      },
    };
  }

  #enter(name: string): void {
    events.count++;
    this.hook(name);
  }
}

/** What a call is made with. `ends` are the ways to end it that it has beside those of all calls. */
export interface Context {
  readonly api: any;
  readonly client: any;
  readonly options: any;
  readonly service: Service;
  readonly ends: Record<string, () => unknown>;
  readonly hook: (name: string) => void;
  /** What `setUp` has returned. */
  given?: any;
}

interface Call {
  /** Its service, unless that is a usual one. */
  service?: (base: string) => Service;
  setUp?: (context: Context) => Promise<unknown>;
  run: (context: Context) => Promise<unknown>;
  value: (base: string) => unknown;
  isOfTables?: boolean;
  /** Whether a worker sends its requests, and decodes the bodies. */
  isInWorker?: boolean;
}

function rowsOf(table: any): unknown[] {
  const rows = table.toArray();
  table.free();
  return rows;
}

async function read(stream: any, { ends }: Context): Promise<unknown[]> {
  Object.assign(ends, { return: () => stream.return(), next: () => void stream.next().catch(() => {}) });
  const parts: unknown[][] = [];
  for await (const { index, findings, table } of stream) parts[index] = findings ?? rowsOf(table);
  return parts.flat();
}

async function watch(live: any, { ends, hook }: Context): Promise<unknown> {
  Object.assign(ends, { cancel: live.cancel, freeLive: live.free, resumeLive: live.resume });
  live.subscribe(() => hook("subscriber"));
  live.done.catch(() => {});
  try {
    for await (const { table } of live) {
      hook("snapshot");
      table.countBy("TopicGroup");
    }
    return rowsOf(await live.done);
  } catch (reason) {
    const { state, error } = live.getSnapshot();
    if (!/aborted|failed|partial/.test(state) || error !== reason) throw new Error(`it shows ${state} with ${error}`);
    throw reason;
  } finally {
    live.free();
  }
}

/** Lets a collecting call fail for a partition, and resumes it. */
async function resumed(promise: Promise<unknown>, { ends, service }: Context): Promise<any> {
  const error: any = await promise.then(
    () => new Error("nothing is missing"),
    (reason) => reason,
  );
  service.failing.clear();
  if (error?.code !== "partial") throw error;
  ends.resume = () => void error.resume().catch(() => {});
  error.table?.free();
  return error.resume({ failurePolicy: "fail-fast" });
}

const failing = (base: string) => new Service(base, new host.Set(["Topics/1"]));
const grown = (base: string) => new Service(base, undefined, undefined, 2);
const collecting = (options: object) => ({ ...options, failurePolicy: "collect", retries: 0 });
const growing = ({ options, given }: Context) => ({ ...options, from: given });
const earlier = ({ api, service }: Context) =>
  new api.FindingsClient(new Service(service.base).options).loadTable(1, "topics");

export const CALLS: Record<string, Call> = {
  counts: {
    run: async ({ client, options }) => (await client.getPartitionCounts(1, options)).topics.partitions,
    value: () => PARTITIONS,
  },
  partition: {
    run: ({ client, options }) => client.getPartition(1, "topics", 0, options),
    value: (base) => findingsOf(0, base),
  },
  findings: { run: ({ client, options }) => client.getFindings(1, "topics", options), value: all },
  mapped: {
    run: ({ client, options, hook }) => {
      const topics = { partitions: PARTITIONS, findings: PARTITIONS * size.findings };
      return client.getFindings(1, "topics", { ...options, readCounts: () => [hook("readCounts"), { topics }][1] });
    },
    value: all,
  },
  collect: {
    service: failing,
    run: (context) => resumed(context.client.getFindings(1, "topics", collecting(context.options)), context),
    value: all,
  },
  stream: {
    run: (context) => read(context.client.streamPartitions(1, "topics", context.options), context),
    value: all,
  },
  streamByCompletion: {
    run: (context) =>
      read(context.client.streamPartitions(1, "topics", { ...context.options, order: "completion" }), context),
    value: all,
  },
  loadPartition: {
    isOfTables: true,
    run: async ({ client, options }) => rowsOf(await client.loadPartition(1, "topics", 0, options)),
    value: (base) => findingsOf(0, base),
  },
  table: {
    isOfTables: true,
    run: async ({ client, options }) => rowsOf(await client.loadTable(1, "topics", options)),
    value: all,
  },
  tables: {
    isOfTables: true,
    run: (context) => read(context.client.streamTables(1, "topics", context.options), context),
    value: all,
  },
  watch: {
    isOfTables: true,
    run: (context) => watch(context.client.watchTable(1, "topics", context.options), context),
    value: all,
  },
  grow: {
    isOfTables: true,
    service: grown,
    setUp: earlier,
    run: async (context) => rowsOf(await context.client.loadTable(1, "topics", growing(context))),
    value: (base) => all(base, PARTITIONS + 2),
  },
  collectTable: {
    isOfTables: true,
    service: failing,
    run: async (context) =>
      rowsOf(await resumed(context.client.loadTable(1, "topics", collecting(context.options)), context)),
    value: all,
  },
  bytes: {
    isOfTables: true,
    setUp: earlier,
    run: async ({ api, given }) => rowsOf(await api.FindingsTable.fromBytes(given.toBytes())),
    value: all,
  },
  from: {
    isOfTables: true,
    run: async ({ api, service }) => rowsOf(await api.FindingsTable.from(all(service.base))),
    value: all,
  },
};

for (const name of ["findings", "stream", "table"]) {
  CALLS[`${name} in a worker`] = { ...(CALLS[name] as Call), isInWorker: true };
}
