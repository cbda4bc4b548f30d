// Tables of the caller's own objects. They arrive in Rust as the JSON of a partition.

import { itemsOf, plainObject } from "../argument/passed-object.js";
import { resultOfCaller } from "../error/call-stack.js";
import { load } from "../module/module.js";
import { TableData } from "./table-data.js";

/** What to pass in place of the response that has the findings, or of one finding. */
const BODIES = { object: "pass a list, such as the Findings of a body", Response: "pass the Findings of its body" };

/** Makes a table of the caller's findings. */
export async function made(findings: unknown): Promise<TableData> {
  const list = itemsOf(findings, "findings", "a list of findings", BODIES);
  for (const finding of list) plainObject(finding, "each finding");
  // Runs each `toJSON` of the caller, so before an `await`, which would lose a zone.
  const body = resultOfCaller(() => bodyOf(list));
  const instance = await load();
  const { length } = list;
  return instance.guarded(
    async () => new TableData(instance.Client.tableOfBody(body), { of: "caller", total: length }),
    {},
  );
}

/** Writes findings as the body of a partition. */
export function bodyOf(findings: readonly unknown[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ Findings: findings }));
}
