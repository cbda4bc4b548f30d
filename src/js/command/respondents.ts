// A file with one row of each respondent.

import type { FindingsClient } from "../entries/inline.js";
import { csvWriting, usualForm } from "../export/csv-writer.js";
import { exportedRows } from "../export/exported-rows.js";
import { type Respondents, respondentsOf } from "../survey/respondents.js";
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
  const file = await exportedRows(rows, undefined, undefined);
  await target.write(`${target.path}.respondents`, async (handle) => {
    const { head, lines } = csvWriting(file.columns, usualForm(separator));
    await handle.write(head);
    for (let from = 0; from < file.length; from += AT_ONCE) {
      await handle.write(lines(file.rows(from, Math.min(from + AT_ONCE, file.length))));
    }
  });
  return summary;
}
