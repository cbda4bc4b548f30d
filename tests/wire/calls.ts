/** The calls that resolve with all findings of one kind. */

import type { Options } from "inspection-findings";
import { callsOfClient } from "../page/calls.js";
import { FindingsClient } from "../page/place.js";

/** Each for the topic findings of inspection 1. */
export const callsForAll = Object.entries(callsOfClient)
  .filter(([name]) => ["getFindings", "loadTable", "streamPartitions"].includes(name))
  .map(([name, call]): [name: string, call: (options: Options) => Promise<unknown[]>] => [
    name,
    async (options) => {
      using client = new FindingsClient(options);
      return await call(client, 1, "topics", 0);
    },
  ]);
