// A file with one row of each respondent.

import { randomUUID } from "node:crypto";
import type { FindingsClient } from "../entries/inline.js";
import { csvWriting, usualForm } from "../export/csv-writer.js";
import { type Respondents, respondentsOf } from "../survey/respondents.js";
import { keysOf } from "../table/column-path.js";
import type { Command } from "./arguments.js";
import type { Progress } from "./progress.js";
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
  const { distinct: per, by, to, separator } = command;
  const target = await TargetFile.at(to);
  const summary = await summaryOf(client, { ...command, keepsJoined: true }, signal, progress, (table) => {
    const keep = table.columns.filter((name) => ![per, ...by, "Sentiment"].includes(name));
    return respondentsOf(table as never, { per, by: by[0] as string, keep });
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
