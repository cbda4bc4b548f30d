/** The kinds of calls of the soak test, with their expected results. */

import { FindingsError } from "inspection-findings";
import { correctCounts, correctResult, inspections } from "./service.js";

/** @typedef {import("inspection-findings").FindingsClient} FindingsClient */
/** @typedef {import("inspection-findings").StreamOptions} StreamOptions */
/** @typedef {{ inspectionKey: number, kind: "sentiment" | "topics", index: number }} Target `index`: of a partition */

/**
 * @typedef {object} Operation
 * @property {string} name
 * @property {boolean} [isFunction] whether there is a plain function of this name
 * @property {(target: Target) => boolean} [suits] whether it applies; always by default
 * @property {(target: Target) => string} [expected] the expected result, as JSON; all findings by default
 * @property {(client: FindingsClient, target: Target, options: StreamOptions) => Promise<unknown>} call
 */

/** @param {Target} target */
export function allFindings({ inspectionKey, kind }) {
  return correctResult(inspectionKey, kind);
}

/** @type {readonly Operation[]} */
export const operations = [
  {
    name: "getFindings",
    isFunction: true,
    call: (client, { inspectionKey, kind }, options) => client.getFindings(inspectionKey, kind, options),
  },
  {
    name: "getPartition",
    isFunction: true,
    suits: ({ inspectionKey, kind }) => inspections[inspectionKey][kind].partitions > 0,
    expected: ({ inspectionKey, kind, index }) => correctResult(inspectionKey, kind, index),
    call: (client, { inspectionKey, kind, index }, { concurrency: _, ...options }) =>
      client.getPartition(inspectionKey, kind, index, options),
  },
  {
    name: "getPartitionCounts",
    isFunction: true,
    expected: ({ inspectionKey }) => correctCounts(inspectionKey),
    call: (client, { inspectionKey }, { concurrency: _, onProgress: __, ...options }) =>
      client.getPartitionCounts(inspectionKey, options),
  },
  {
    name: "loadTable, free",
    async call(client, { inspectionKey, kind }, options) {
      const table = await client.loadTable(inspectionKey, kind, options);
      const findings = table.toArray();
      table.free();
      return findings;
    },
  },
  {
    name: "loadTable, using, with views",
    async call(client, { inspectionKey, kind }, options) {
      using table = await client.loadTable(inspectionKey, kind, options);
      using view = table.filter({});
      return table.columns.includes("Comment") ? inItsOrder(view, table.length) : view.slice();
    },
  },
  {
    name: "loadTable, left to the garbage collector",
    suits: ({ inspectionKey }) => inspectionKey < 4,
    async call(client, { inspectionKey, kind }, options) {
      return [...(await client.loadTable(inspectionKey, kind, options))];
    },
  },
  {
    name: "watchTable, with queries on every snapshot, free",
    async call(client, { inspectionKey, kind }, options) {
      using live = client.watchTable(inspectionKey, kind, options);
      live.subscribe(() => checkSnapshot(live.getSnapshot()));
      using table = await live.done;
      checkSnapshot(live.getSnapshot());
      return table.toArray();
    },
  },
  {
    name: "watchTable, left to the garbage collector with all its snapshots",
    async call(client, { inspectionKey, kind }, options) {
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
    async call(client, { inspectionKey, kind }, options) {
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
    async call(client, { inspectionKey, kind }, options) {
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
    async call(client, { inspectionKey, kind }, options) {
      const partitions = await Array.fromAsync(client.streamPartitions(inspectionKey, kind, options));
      return partitions.flatMap(({ findings }) => findings);
    },
  },
  {
    name: "streamPartitions, left half way, then getFindings",
    async call(client, { inspectionKey, kind }, options) {
      for await (const { index } of client.streamPartitions(inspectionKey, kind, { ...options, order: "completion" })) {
        if (index > 0) break;
      }
      return client.getFindings(inspectionKey, kind, options);
    },
  },
  {
    name: "getFindings, collecting, and gone on with",
    async call(client, { inspectionKey, kind }, options) {
      let call = () => client.getFindings(inspectionKey, kind, { ...options, failurePolicy: "collect" });
      for (let run = 0; ; run++) {
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

/**
 * Asks a snapshot what a page would, and checks that the responses agree.
 * @param {import("inspection-findings").LiveSnapshot<any>} snapshot
 */
function checkSnapshot({ table, progress }) {
  const [column] = table.columns;
  using all = table.filter({});
  const counted = column === undefined ? table.length : countedBy(table, column);
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
  const total = countedBy(sorted, "Comment");
  if (sorted.length !== length || total !== length) {
    throw new Error(`${length} findings became ${sorted.length} when sorted and ${total} when counted`);
  }
  return view.toArray();
}

/**
 * @param {import("inspection-findings").FindingsTable<any>} table
 * @param {string} column
 */
function countedBy(table, column) {
  return table.countBy(column).reduce((sum, { count }) => sum + count, 0);
}
