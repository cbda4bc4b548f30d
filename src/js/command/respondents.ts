// A file with one row of each respondent.

import { randomUUID } from "node:crypto";
import { type FindingsClient, FindingsTable } from "../entries/inline.js";
import { csvWriting, usualForm } from "../export/csv-writer.js";
import { type Respondents, respondentsOf } from "../survey/respondents.js";
import { keysOf } from "../table/column-path.js";
import type { Command } from "./arguments.js";
import { readCsv } from "./csv-file.js";
import type { Progress } from "./progress.js";
import { checkSlip } from "./selection.js";
import { type Summary, summaryOf } from "./summary.js";
import { TargetFile } from "./target-file.js";

/** The rows that are written at once. */
const AT_ONCE = 1_000;

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
    const people = base && joined ? joined.addTo({ index: 0, table: base }).table : base;
    const keep = (joined?.columns ?? []).filter((name) => name !== by && (people ?? table).columns.includes(name));
    return checkSlip("--base", () => respondentsOf(table as never, { per, by, keep, base: people }));
  });
  const { rows } = summary.result;
  if (rows.length === 0 && target.isThere) throw new Error(`no finding has a respondent: ${to} stays as it is`);
  await target.write(`${target.path}.${randomUUID()}`, async (file) => {
    // All rows have the same columns.
    const { head, lines } = csvWriting(
      // A joined column has the name that the file gives it, without the backslashes of the table.
      Object.keys(rows[0] ?? {}).map((name) => keysOf(name).join(".")),
      usualForm(separator),
    );
    await file.write(head);
    for (let from = 0; from < rows.length; from += AT_ONCE) {
      const some = rows.slice(from, from + AT_ONCE);
      await file.write(lines(some.map((row) => Object.values(row).map((value) => value ?? undefined))));
    }
  });
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
