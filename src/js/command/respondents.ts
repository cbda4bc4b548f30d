// A file with one row of each respondent.

import { randomUUID } from "node:crypto";
import { keysOf } from "../core/table/column-path.js";
import { type FindingsClient, FindingsTable } from "../entries/inline.js";
import { csvOf } from "../subpaths/export/files.js";
import { type Respondents, respondentsOf } from "../subpaths/survey/respondents.js";
import type { Command } from "./arguments.js";
import { readCsv } from "./csv-file.js";
import type { Progress } from "./progress.js";
import { checkSlip } from "./selection.js";
import { type Summary, summaryOf } from "./summary.js";
import { TargetFile } from "./target-file.js";

/** Reads an inspection, and writes a row of each respondent, with the columns that are joined. */
export async function exportRespondents(
  client: FindingsClient,
  command: Command & { name: "respondents" },
  signal: AbortSignal,
  progress: Progress,
): Promise<Summary<Respondents>> {
  const { per, topics: by, base, to, separator } = command;
  const target = await TargetFile.at(to);
  const asked = base === undefined ? undefined : [...(await readCsv("--base", base, per)).rows.keys()];
  const summary = await summaryOf(client, command, signal, progress, async (table, joined) => {
    const base = asked && (await peopleOf(asked, per, table));
    const people = base && joined ? joined.addTo(base) : base;
    const keep = (joined?.columns ?? []).filter((name) => name !== by && (people ?? table).columns.includes(name));
    const ask = () => respondentsOf(table as never, { per, by, keep, base: people });
    return people ? checkSlip("--base", ask) : ask();
  });
  const { rows } = summary.result;
  if (rows.length === 0 && target.isThere) throw new Error(`no finding has a respondent: ${to} stays as it is`);
  const file = await csvOf(rows, { separator });
  const bytes = new Uint8Array(await file.arrayBuffer());
  await target.write(`${target.path}.${randomUUID()}`, (file) => file.writeFile(bytes));
  return summary;
}

/** A table with a row of each person in a file: their keys are numbers if those of the findings are. */
function peopleOf(keys: readonly string[], per: string, table: FindingsTable<unknown>): Promise<FindingsTable<object>> {
  const areNumbers = table.column(per as never).some((key) => typeof key === "number");
  const keyOf = (text: string) => (areNumbers && String(Number(text)) === text ? Number(text) : text);
  return FindingsTable.from(
    keys.map((key) => keysOf(per).reduceRight<object>((value, name) => ({ [name]: value }), keyOf(key) as never)),
  );
}
