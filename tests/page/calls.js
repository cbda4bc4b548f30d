/** Every call, by its name: each settles once the call has, and frees its tables. */

import { getFindings, getPartition, getPartitionCounts } from "inspection-findings";

/** @typedef {(client: any, key: any, kind: any, index: any, options?: any) => Promise<any>} Call a call takes what applies to it */

/** @type {Record<string, Call>} */
export const callsOfClient = {
  getPartitionCounts: (client, key, _kind, _index, options) => client.getPartitionCounts(key, options),
  getPartition: (client, key, kind, index, options) => client.getPartition(key, kind, index, options),
  getFindings: (client, key, kind, _index, options) => client.getFindings(key, kind, options),
  loadPartition: async (client, key, kind, index, options) =>
    valuesOf(await client.loadPartition(key, kind, index, options)),
  loadTable: async (client, key, kind, _index, options) => valuesOf(await client.loadTable(key, kind, options)),
  watchTable: async (client, key, kind, _index, options) => {
    const live = client.watchTable(key, kind, options);
    try {
      return valuesOf(await live.done);
    } finally {
      // Snapshots outlive their live table.
      live.getSnapshot().table.free();
      live.free();
    }
  },
  streamPartitions: async (client, key, kind, _index, options) => {
    const partitions = await Array.fromAsync(client.streamPartitions(key, kind, options));
    return partitions.flatMap(({ findings }) => findings);
  },
  streamTables: async (client, key, kind, _index, options) => {
    const findings = [];
    for await (const { table } of client.streamTables(key, kind, options)) findings.push(...valuesOf(table));
    return findings;
  },
};

/** @type {Record<string, Call>} the calls, and the functions that make some of them with a client of their own */
export const calls = {
  ...callsOfClient,
  "the function getPartitionCounts": (_, key, _kind, _index, options) => getPartitionCounts(key, options),
  "the function getPartition": (_, key, kind, index, options) => getPartition(key, kind, index, options),
  "the function getFindings": (_, key, kind, _index, options) => getFindings(key, kind, options),
};

/** The findings of a table, which is then freed. @param {import("inspection-findings").FindingsTable<any>} table */
function valuesOf(table) {
  const findings = table.toArray();
  table.free();
  return findings;
}
