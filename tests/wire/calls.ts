/** The calls that resolve with all findings of one kind. */

import type { Options } from "inspection-findings";
import { FindingsClient, getFindings } from "../page/place.js";

/** Each for the topic findings of inspection 1. */
export const callsForAll: [name: string, call: (options: Options) => Promise<unknown[]>][] = [
  ["getFindings", (options) => getFindings(1, "topics", options)],
  [
    "loadTable",
    async (options) => {
      using client = new FindingsClient(options);
      using table = await client.loadTable(1, "topics");
      return table.toArray();
    },
  ],
  [
    "streamPartitions",
    async (options) => {
      using client = new FindingsClient(options);
      const partitions = await Array.fromAsync(client.streamPartitions(1, "topics"));
      return partitions.flatMap(({ findings }) => findings);
    },
  ],
];
