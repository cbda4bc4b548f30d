// The command `npx inspection-findings`.

import { readFileSync } from "node:fs";
import process from "node:process";
import { type Command, commandOf, UsageError } from "../command/arguments.js";
import { exportFindings } from "../command/export.js";
import { HELP } from "../command/help.js";
import { printable, tableText } from "../command/printed.js";
import { progressOn } from "../command/progress.js";
import { summaryOf } from "../command/summary.js";
import { tokenHeaders } from "../command/token.js";
import { FindingsClient } from "./inline.js";

/** The exit codes of the signals that end a command, as shells have them. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

const progress = progressOn(process.stderr);
const ending = new AbortController();
for (const [signal, code] of Object.entries(SIGNALS)) {
  process.once(signal, () => {
    process.exitCode = code;
    ending.abort(new Error("interrupted"));
  });
}
// The reader of a pipe may end first.
process.stdout.on("error", () => process.exit(1));

try {
  await run(commandOf(process.argv.slice(2)));
} catch (error) {
  progress.end();
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`inspection-findings: ${printable(message)}\n`);
  if (isUsageError(error)) process.stderr.write("Run npx inspection-findings --help\n");
  process.exitCode ??= isUsageError(error) ? 2 : 1;
}

async function run(command: Command): Promise<void> {
  if (command.name === "help") return print(HELP);
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  if (command.name === "version") return print(`${version}\n`);
  const { baseUrl, tokenHeader, inspectionKey } = command;
  const client = new FindingsClient({ baseUrl, headers: () => tokenHeaders(tokenHeader) });
  const { signal } = ending;
  try {
    switch (command.name) {
      case "export": {
        const origin = { version, baseUrl };
        const findings = await exportFindings(client, { ...command, origin }, signal, progress);
        progress.end(`${findings} findings in ${command.to}`);
        return;
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
        const groups = await summaryOf(client, command, signal, progress);
        progress.end();
        if (command.isJson) return print(`${JSON.stringify(groups)}\n`);
        const rows = groups.map(({ key, count, mean }) => [...key.map(textOf), count, mean?.toFixed(2) ?? ""]);
        return print(tableText([[...command.by, "findings", "mean sentiment"], ...rows]));
      }
    }
  } finally {
    client.free();
  }
}

function print(text: string): void {
  process.stdout.write(text);
}

/** A value of a group as text. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : value == null ? "(none)" : JSON.stringify(value);
}

/** Whether the command line is wrong. The client throws a `TypeError` for a wrong URL. */
function isUsageError(error: unknown): boolean {
  return error instanceof UsageError || error instanceof TypeError;
}
