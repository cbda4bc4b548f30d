/** The parts of the benchmark: each resolves with tables by title, whose rows have figures. */

import { setTimeout } from "node:timers/promises";
import type { Measures, Times } from "./chromium.ts";
import { contenders, defaults } from "./contenders.ts";
import { inRounds } from "./rounds.ts";
import { limitNetwork, withService } from "./service.ts";

/** `page`: the folder of the built page. */
type Setting = {
  options: import("./run.ts").Options;
  browser: import("../../../tools/engine.ts").Browser;
  page: string;
};
type Rows = import("./rounds.ts").Rows;
type Service = import("./service.ts").Service;
type Benchmark = import("./page/main.ts").Benchmark;
type Calls = {
  [Name in keyof Benchmark]: (
    ...parameters: Parameters<Benchmark[Name]>
  ) => Promise<Awaited<ReturnType<Benchmark[Name]>>>;
};
type Tab = {
  call: Calls;
  visit: () => Promise<void>;
  measured: <Value>(work: () => Promise<Value>) => Promise<{ value: Value; work: Partial<Times> }>;
  heapUsed: () => Promise<number>;
};

/** The megabits a second of the slow network. */
const megabits = 100;

/** The findings of a small inspection, which is one partition. */
const few = 200;

export const parts: Record<string, (setting: Setting) => Promise<Record<string, Rows>>> = { retrieval, start, visit };

/** Every contender, each time in a fresh tab that has warmed up. Times in milliseconds, memory in bytes per finding. */
async function retrieval(setting: Setting) {
  const { rounds, corpora } = setting.options;
  const tables: Record<string, Rows> = {};
  for (const corpus of corpora) {
    await serving(setting, { corpus }, async (service) => {
      const measure = (name: string) => retrieveOnce(setting, service, name);
      tables[corpus] = await inRounds(Object.keys(contenders), rounds, measure);
      // Takes seconds, most of which are the network's, so that it varies little: once is enough.
      const slowly = (name: string) => retrieveOnce(setting, service, name, megabits);
      const names = corpora.length === 1 ? Object.keys(contenders) : defaults;
      tables[`${corpus}, ${megabits} Mbit/s`] = await inRounds(names, 1, slowly);
    });
  }
  return tables;
}

async function retrieveOnce(setting: Setting, service: Service, name: string, network = 0) {
  const { findings } = service;
  const { first, last } = network > 0 ? { first: 1, last: 1 } : setting.options.calls;
  const figures = await inWarmTab(setting, service, name, async ({ call, measured, heapUsed }) => {
    await limitNetwork(service, network);
    const before = await heapUsed();
    for (let ordinal = 1; ordinal < first; ordinal++) await call.retrieve(name, findings);
    const { value, work } = await measured(async () => {
      const calls = [];
      for (let ordinal = first; ordinal <= last; ordinal++) calls.push(await call.retrieve(name, findings));
      return calls;
    }).finally(() => limitNetwork(service));
    const all = { "wall ms": value.reduce((sum, { wallTime }) => sum + wallTime, 0), ...work };
    const means = Object.entries(all).map(([figure, sum]) => [figure, sum / value.length]);
    const [heap, module] = [(await heapUsed()) - before, value[0].moduleMemory].map((size) => size / findings);
    return { ...Object.fromEntries(means), "heap B": heap, "module B": module };
  });
  if (network > 0) return figures;
  // In a separate tab, because the timer that measures them changes the other figures a little.
  return { ...figures, ...(await inWarmTab(setting, service, name, ({ call }) => call.stallsOf(name, findings))) };
}

/** The first call of a page, which begins before the import of the package, and the second one. Every call sends a token. */
function start(setting: Setting) {
  return serving(setting, { findings: few, partitions: 1, token: true }, async (service) => {
    const measure = (name: string) =>
      inTab(setting, service, async ({ call, measured }) => {
        // With a tab, Chromium opens a window, which keeps a processor busy for half a second; a page of a user's has its window before.
        await setTimeout(1000);
        const { value, work } = await measured(() => call.retrieve(name, service.findings, true));
        const { wallTime } = await call.retrieve(name, service.findings, true);
        return { "first ms": value.wallTime, "its cpu ms": work["cpu ms"], "second ms": wallTime };
      });
    // A first call is short, and so varies more.
    return { [`${few} findings`]: await inRounds(defaults, 3 * setting.options.rounds, measure) };
  });
}

/** What a dashboard does with a table: a search of ten times the findings, and the next visit, which opens the table in a new page. */
async function visit(setting: Setting) {
  const { rounds, findings } = setting.options;
  const search = await serving(setting, { findings: 10 * findings, partitions: 500 }, (service) =>
    inRounds(["table"], rounds, () => inTab(setting, service, ({ call }) => call.search(service.findings))),
  );
  const visits = await serving(setting, {}, (service) =>
    inRounds(["table"], rounds, () =>
      inTab(setting, service, async ({ call, visit }) => {
        await call.keepTable(service.findings);
        await visit();
        return call.visitAgain();
      }),
    ),
  );
  return { "a search of ten times the findings": search, "the next visit": visits };
}

/** Serves an inspection: of the options, unless it is given. */
function serving<Result>(
  { page, options }: Setting,
  other: Partial<import("./service.ts").Manners>,
  work: (service: Service) => Promise<Result>,
) {
  const { corpora, findings, partitions } = options;
  return withService({ page, partitions, corpus: corpora[0], findings, ...other }, work);
}

/** Does some work in a tab that has made a tenth of the retrieval. */
function inWarmTab<Result>(setting: Setting, service: Service, name: string, work: (tab: Tab) => Promise<Result>) {
  return inTab(setting, service, async (tab) => {
    await tab.call.warmUp(name, service.findings / 10);
    return work(tab);
  });
}

/** Does some work in a fresh page of the benchmark. Other engines than Chromium show neither the main thread nor the heap. */
async function inTab<Result>({ browser }: Setting, { url }: Service, work: (tab: Tab) => Promise<Result>) {
  const page: import("../../../tools/engine.ts").Page & Partial<Measures> = await browser.newPage();
  const visit = async () => {
    await page.goto(url);
    await page.waitForFunction(() => "benchmark" in globalThis);
  };
  const called =
    (name: string) =>
    (...parameters: unknown[]) =>
      page.evaluate(([name, parameters]) => (globalThis as any).benchmark[name](...parameters), [name, parameters] as [
        string,
        any[],
      ]);
  const call: any = new Proxy({}, { get: (_, name) => called(String(name)) });
  const measured: Tab["measured"] = async (work) => {
    const before = await page.times?.();
    const value = await work();
    const passed = Object.entries((await page.times?.()) ?? {}).map(([name, time]) => [
      name,
      time - (before?.[name as keyof Times] ?? 0),
    ]);
    return { value, work: Object.fromEntries(passed) };
  };
  try {
    await visit();
    return await work({ call, visit, measured, heapUsed: async () => (await page.heapUsed?.()) ?? Number.NaN });
  } finally {
    await page.close();
  }
}
