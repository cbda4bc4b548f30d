// Runs the command: carries out its command line, and reports what failed.

import { readFileSync } from "node:fs";
import process from "node:process";
import { FindingsClient } from "../entries/inline.js";
import { exportedRows } from "../export/exported-rows.js";
import { jsonText } from "../host/json-text.js";
import type { CrosstabResult } from "../survey/crosstab-result.js";
import { type Command, commandOf, UsageError } from "./arguments.js";
import { checkService } from "./check.js";
import { checkText } from "./check-text.js";
import { exportFindings } from "./export.js";
import { messageOf } from "./failure.js";
import type { Losses } from "./format.js";
import { HELP } from "./help.js";
import { printable, tableText } from "./printed.js";
import { progressOn } from "./progress.js";
import { exportRespondents } from "./respondents.js";
import { crosstabIn, type Group, groupsIn, summaryOf } from "./summary.js";
import { tokenHeaders } from "./token.js";

/** The exit codes of the signals that end a command, as shells have them. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

const progress = progressOn(process.stderr);
const ending = new AbortController();

/** Carries out a command line, and sets the exit code. */
export async function main(words: string[]): Promise<void> {
  let command: Command | undefined;
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.once(signal, () => {
      process.exitCode = code;
      const advice = command?.name === "export" ? "; run the command again to continue" : "";
      ending.abort(new Error(`interrupted${advice}`));
    });
  }
  // Each write reports its own error.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  try {
    command = commandOf(words);
    await run(command);
  } catch (error) {
    progress.end();
    const isUsageError = error instanceof UsageError;
    const tokenHeader = command !== undefined && "tokenHeader" in command ? command.tokenHeader : "authorization";
    warn(messageOf(error, tokenHeader, command?.name === "export"));
    if (isUsageError) process.stderr.write("Run npx inspection-findings --help\n");
    process.exitCode ??= isUsageError ? 2 : 1;
  }
}

async function run(command: Command): Promise<void> {
  if (command.name === "help") return print(HELP);
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  if (command.name === "version") return print(`${version}\n`);
  const { baseUrl, tokenHeader, inspectionKey } = command;
  const { signal } = ending;
  if (command.name === "check") {
    const report = await checkService(command, signal);
    if (report.failures.length > 0) process.exitCode = 1;
    return print(command.isJson ? `${JSON.stringify(report)}\n` : checkText(report));
  }
  const client = new FindingsClient({ baseUrl, headers: () => tokenHeaders(tokenHeader) });
  try {
    switch (command.name) {
      case "export": {
        const origin = { version, baseUrl };
        const { findings, received, losses, unmatched } = await exportFindings(
          client,
          { ...command, origin },
          signal,
          progress,
        );
        progress.end(`${findings} findings in ${command.to}`);
        for (const message of lossMessages(losses)) warn(message);
        if (findings === 0 && received > 0) warn(`none of the ${received} findings meets the conditions of --where`);
        if (unmatched !== undefined) warn(unmatched);
        return;
      }
      case "respondents": {
        const { result, warnings } = await exportRespondents(client, command, signal, progress);
        progress.end(`${result.rows.length} respondents in ${command.to}`);
        for (const message of warnings) warn(message);
        const labels = Object.entries(result.labels).filter(([name, label]) => name !== label);
        return print(tableText([["column", "topic"], ...labels]));
      }
      case "counts": {
        const counts = await client.getPartitionCounts(inspectionKey, { signal });
        if (command.isJson) return print(`${JSON.stringify(counts)}\n`);
        const rows = Object.entries(counts).map(([kind, { partitions, findings }]) => [
          kind,
          partitions,
          findings ?? "",
        ]);
        return print(tableText([["kind", "partitions", "findings"], ...rows]));
      }
      case "summary": {
        const { by, across, distinct, isJson } = command;
        if (across !== undefined) {
          const { result, warnings } = await summaryOf(client, command, signal, progress, (table, subject) =>
            crosstabIn(table, subject, across),
          );
          progress.end();
          for (const message of warnings) warn(message);
          if (isJson) return print(`${jsonText(reportedCrosstab(result))}\n`);
          const { columns, length, rows } = await exportedRows(result, undefined, undefined);
          return print(
            tableText([[by.join(" · "), ...columns.slice(1)], ...(rows(0, length) as (string | number)[][])]),
          );
        }
        const { result, warnings } = await summaryOf(client, command, signal, progress, groupsIn);
        progress.end();
        for (const message of warnings) warn(message);
        if (isJson) return print(`${jsonText(result.map((group) => reported(group, by)))}\n`);
        const rows = result.map(({ key, count, mean, ...group }) => [
          ...key.map(textOf),
          count,
          ...("distinct" in group ? [group.distinct as number] : []),
          mean?.toFixed(2).replace(/^-0\.00$/, "0.00") ?? "",
        ]);
        const counted = distinct === undefined ? [] : [`distinct ${distinct}`];
        return print(tableText([[...by, "findings", ...counted, "mean sentiment"], ...rows]));
      }
    }
  } finally {
    client.free();
  }
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

/** Writes to the standard error: what failed, or what the output lacks although the command has succeeded. */
function warn(message: string): void {
  process.stderr.write(`inspection-findings: ${printable(message)}\n`);
}

function lossMessages({ roundedColumns, replacedColumns }: Losses): string[] {
  const listed = (columns: readonly string[]) => columns.map((name) => JSON.stringify(name)).join(", ");
  const messages = [];
  if (roundedColumns.length > 0) {
    messages.push(
      `large integers in ${listed(roundedColumns)} are rounded, because other values there are no integers of 64 bits. ` +
        "Export to a .csv or .ndjson file to keep them",
    );
  }
  if (replacedColumns.length > 0) {
    messages.push(
      `halves of characters (lone surrogates) in ${listed(replacedColumns)} are replaced by U+FFFD. ` +
        "Export to a .ndjson file to keep them",
    );
  }
  return messages;
}

/** A value of a group as text. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "(missing)" : jsonText(value);
}

/** A group as JSON: null for a missing field, and `missing` names the columns of such fields. */
function reported({ key, ...numbers }: Group, by: readonly string[]): object {
  const missing = by.filter((_, index) => key[index] === undefined);
  return { key: key.map((value) => value ?? null), ...numbers, ...(missing.length > 0 && { missing }) };
}

/** A cross tabulation as JSON, with lists as keys, as groups have them. */
function reportedCrosstab({ columns, cells, ...others }: CrosstabResult): object {
  return {
    ...others,
    columns: columns.map((column) => ({ ...column, key: [column.key] })),
    cells: cells.map((cell) => ({ ...cell, column: [cell.column] })),
  };
}
