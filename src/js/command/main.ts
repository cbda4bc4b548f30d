// Runs the command: carries out its command line, and reports what failed.

import process from "node:process";
import { jsonText } from "../core/host/json-text.js";
import { FindingsClient } from "../entries/inline.js";
import { exportedRows } from "../subpaths/export/exported-rows.js";
import { crosstab } from "../subpaths/survey/crosstab.js";
import type { CrosstabResult } from "../subpaths/survey/crosstab-result.js";
import { type Command, commandOf, UsageError } from "./arguments.js";
import { checkService } from "./check.js";
import { checkText } from "./check-text.js";
import { countsOf } from "./counts.js";
import { exportFindings } from "./export.js";
import { messageOf } from "./failure.js";
import { HELP } from "./help.js";
import { printable, tableText } from "./printed.js";
import { type Progress, progressOn } from "./progress.js";
import { exportRespondents } from "./respondents.js";
import { type Group, groupsIn, summaryOf } from "./summary.js";
import { tokenHeaders } from "./token.js";

const KINDS = ["sentiment", "topics"] as const;

/** The exit codes of the signals that end a command, as shells have them. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/** Carries out a command line, and sets the exit code. */
export async function main(words: string[], version: string): Promise<void> {
  const progress = progressOn(process.stderr, process.env.TERM);
  const ending = new AbortController();
  let command: Command | undefined;
  const interrupt = (signal: string) => {
    process.exitCode = SIGNALS[signal as keyof typeof SIGNALS];
    const advice = command?.name === "export" ? "; run the command again to continue" : "";
    ending.abort(new Error(`interrupted${advice}`));
  };
  for (const signal of Object.keys(SIGNALS)) process.once(signal, interrupt);
  try {
    command = commandOf(words);
    await run(command, version, ending.signal, progress);
  } catch (error) {
    progress.end();
    const isUsageError = error instanceof UsageError;
    const tokenHeader = command !== undefined && "tokenHeader" in command ? command.tokenHeader : "authorization";
    warn(messageOf(error, tokenHeader, command?.name === "export"));
    if (isUsageError) process.stderr.write("Run npx inspection-findings --help\n");
    process.exitCode ??= isUsageError ? 2 : 1;
  } finally {
    for (const signal of Object.keys(SIGNALS)) process.off(signal, interrupt);
  }
}

async function run(command: Command, version: string, signal: AbortSignal, progress: Progress): Promise<void> {
  if (command.name === "help") return print(HELP);
  if (command.name === "version") return print(`${version}\n`);
  const { baseUrl, tokenHeader, inspectionKey } = command;
  if (command.name === "check") {
    const report = await checkService(command, signal);
    if (report.failures.length > 0) process.exitCode = 1;
    return print(command.isJson ? `${JSON.stringify(report)}\n` : checkText(report));
  }
  const show = (value: object, rows: (string | number)[][]) =>
    print(command.isJson ? `${jsonText(value)}\n` : tableText(rows));
  // Only `counts` needs those of both kinds.
  const readCounts = "kind" in command ? countsOf(command.kind) : undefined;
  const client = new FindingsClient({ baseUrl, readCounts, headers: () => tokenHeaders(tokenHeader) });
  try {
    switch (command.name) {
      case "export": {
        const about = { ...command, origin: { version, baseUrl } };
        const { findings, warnings } = await exportFindings(client, about, signal, progress);
        return end(progress, warnings, `${findings} findings in ${command.to}`);
      }
      case "respondents": {
        const { result, warnings } = await exportRespondents(client, command, signal, progress);
        end(progress, warnings, `${result.rows.length} respondents in ${command.to}`);
        const labels = Object.entries(result.labels).filter(([name, label]) => name !== label);
        return print(tableText([["column", "stands for"], ...labels]));
      }
      case "counts": {
        const counts = await client.getPartitionCounts(inspectionKey, { signal });
        const rows = KINDS.map((kind) => [kind, counts[kind].partitions, counts[kind].findings ?? ""]);
        return show(counts, [["kind", "partitions", "findings"], ...rows]);
      }
      case "summary": {
        const { across, by, distinct } = command;
        const { result, warnings } = await summaryOf<Group[] | CrosstabResult>(
          ...([client, command, signal, progress] as const),
          (table) =>
            across === undefined ? groupsIn(table, command) : crosstab(table as never, by, across, { distinct }),
        );
        end(progress, warnings);
        const rows = Array.isArray(result) ? groupRows(result, command) : await crosstabRows(result, command);
        return show(reported(result, by), rows);
      }
    }
  } finally {
    client.free();
  }
}

/** Ends the progress, and says what the output lacks although the command has succeeded. */
function end(progress: Progress, warnings: readonly string[], line?: string): void {
  progress.end(line);
  for (const message of warnings) warn(message);
}

/** Writes to the standard output. A reader that has ended, such as `head`, has what it wants, so this is no error. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
      if (!error || error.code === "EPIPE") resolve();
      else reject(new Error(`the standard output cannot be written: ${error.message}`));
    });
  });
}

/** Writes a message to the standard error. */
function warn(message: string): void {
  process.stderr.write(`inspection-findings: ${printable(message)}\n`);
}

type SummaryOf = Command & { name: "summary" };

/** The groups as a table of texts, with the names of the columns. */
function groupRows(groups: readonly Group[], { by, distinct }: SummaryOf): (string | number)[][] {
  const counted = distinct === undefined ? [] : [`distinct ${distinct}`];
  const rows = groups.map(({ key, count, distinct, mean }) => [
    ...key.map(textOf),
    count,
    ...(distinct === undefined ? [] : [distinct]),
    mean?.toFixed(2).replace(/^-0\.00$/, "0.00") ?? "",
  ]);
  return [[...by, "findings", ...counted, "mean sentiment"], ...rows];
}

async function crosstabRows(result: CrosstabResult, { by }: SummaryOf): Promise<(string | number)[][]> {
  const { columns, length, rows } = await exportedRows(result, undefined, undefined);
  return [[by.join(" · "), ...columns.slice(1)], ...(rows(0, length) as (string | number)[][])];
}

/** A value of a group as text. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "(missing)" : jsonText(value);
}

/** A summary as JSON, whose keys are lists. A missing field of a group is null, and `missing` names the columns of such fields. */
function reported(result: Group[] | CrosstabResult, by: readonly string[]): object {
  if (Array.isArray(result)) {
    return result.map(({ key, ...numbers }) => {
      const missing = by.filter((_, index) => key[index] === undefined);
      return { key: key.map((value) => value ?? null), ...numbers, ...(missing.length > 0 && { missing }) };
    });
  }
  const columns = result.columns.map((column) => ({ ...column, key: [column.key] }));
  return { ...result, columns, cells: result.cells.map((cell) => ({ ...cell, column: [cell.column] })) };
}
