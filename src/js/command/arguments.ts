// The command line: the words after `npx inspection-findings`, checked.

import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { extname } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { described } from "../core/argument/refusal.js";
import { readBaseUrl } from "../core/client/options/base-url.js";
import { orUndefined } from "../core/host/member.js";
import { checkTarget } from "../core/table/call-target.js";
import { Conditions } from "../core/table/queries/conditions.js";
import { SEPARATORS } from "../subpaths/export/csv-writer.js";
import { COMMON, USAGES } from "./help.js";
import { FORMATS } from "./output.js";
import { textOf } from "./text-file.js";
import { TOKEN_HEADERS } from "./token.js";

/** A command, with what it needs. */
export type Command = ReturnType<typeof commandOf>;

/** A command line that cannot be carried out. */
export class UsageError extends Error {}

type CommandName = keyof typeof USAGES;

const COMMANDS = Object.keys(USAGES) as CommandName[];
const LIST = new Intl.ListFormat("en");

/** The values of the options that a command line has: that of an option without one is anything. */
type Values = Readonly<Record<string, string | undefined>>;

/** Reads the command line. Quotes no word of it that could be a token. */
export function commandOf(words: string[]) {
  const [name = "--help", ...args] = words;
  if (name === "--version") return { name: "version" } as const;
  if (name === "--help" || name === "-h") return { name: "help" } as const;
  if (name !== "export" && name !== "counts" && name !== "summary" && name !== "check")
    return refuse("the first word must be export, counts, summary or check");
  const { by, values, positionals } = parsed(name, args);
  if (values.help !== undefined) return { name: "help" } as const;
  const [inspectionKey = "", kind = name === "summary" ? "sentiment" : "", ...others] = positionals;
  if (orUndefined(() => [checkTarget({ inspectionKey })]) === undefined)
    refuse(`${name} needs an inspection key: an integer of at most 64 bits without leading zeros, such as 42`);
  const hasKind = name === "export" || name === "summary";
  if (others.length > 0 || (kind !== "" && !hasKind)) refuse(`${name} has more words than it can use`);
  const common = { inspectionKey, ...serviceOf(values), isJson: values.json !== undefined };
  if (name === "counts") return { name, ...common } as const;
  if (name === "check") return { name, ...common, origin: originOf(values.origin) } as const;
  if (kind !== "sentiment" && kind !== "topics") return refuse("the word after the key must be sentiment or topics");
  const of = { ...common, kind, join: joinOf(values), isSparse: values.sparse !== undefined } as const;
  const { per, base, across, distinct } = values;
  const [topics, ...more] = by;
  if (name === "summary") {
    if (topics === undefined) refuse("summary needs --by COLUMN, such as --by TopicGroup");
    return { name, ...of, by, across, distinct } as const;
  }
  const file = { ...of, ...fileOf(values) };
  checkFile(file.to, values);
  const selected = { columns: columnsOf(values.columns), where: whereOf(values.where) };
  if (per === undefined && topics === undefined && base === undefined) return { name, ...file, selected } as const;
  if (per === undefined || topics === undefined || more.length > 0 || file.format !== ".csv")
    return refuse(
      "export needs --per COLUMN, one --by COLUMN and a .csv file for a row of each respondent, such as --per RespondentId --by TopicGroup",
    );
  if (selected.columns ?? selected.where) refuse("--columns and --where do not apply to export --per");
  if (base !== undefined && file.join !== undefined && file.join.by !== per)
    refuse("with --base, --on and --per must name the same column: the one with the respondents");
  return { name: "respondents", ...file, per, topics, base } as const;
}

function refuse(message: string): never {
  throw new UsageError(message);
}

/** Reads the options that a command has. */
function parsed(name: CommandName, args: string[]) {
  const known = optionsOf(name);
  const options = { ...known, help: { type: "boolean", short: "h" } } as const;
  const { tokens, positionals } = parseArgs({ args, options, strict: false, tokens: true, allowPositionals: true });
  const by: string[] = [];
  const values: Record<string, string> = {};
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name: option, rawName, value = "", inlineValue = false } = token;
    const type = known[option]?.type ?? refuseOption(option, rawName, name);
    if (type === "boolean" && inlineValue) refuse(`--${option} takes no value`);
    if (type === "string" && (value === "" || (!inlineValue && /^-./.test(value))))
      refuse(`--${option} needs a value; if it begins with a dash, write --${option}=VALUE`);
    if (option in values) refuse(`--${option} is there twice: pass it once`);
    if (option === "by") by.push(value);
    else values[option] = fromHome(value);
  }
  return { positionals, by, values: values as Values };
}

/** The options of a command, as `parseArgs` takes them. */
function optionsOf(command: CommandName): Record<string, { type: "boolean" | "string" }> {
  const found = `${USAGES[command]} ${COMMON}`.matchAll(/--([a-z-]+)( [A-Z]+)?/g);
  return Object.fromEntries(Array.from(found, ([, option, value]) => [option, { type: value ? "string" : "boolean" }]));
}

/** Refuses an option that a command lacks: other commands may have it. */
function refuseOption(option: string, written: string, command: CommandName): never {
  const others = COMMANDS.filter((other) => Object.hasOwn(optionsOf(other), option));
  if (others.length > 0) refuse(`--${option} applies only to ${LIST.format(others)}, not to ${command}`);
  // A word with other characters may be a misplaced token.
  const shown = /^--?[a-z-]{1,20}$/.test(written) ? written : "an option";
  const known = Object.keys(optionsOf(command)).map((known) => `--${known}`);
  refuse(`${shown} is no option of ${command}, which has ${known.join(", ")}. To pass the token, set FINDINGS_TOKEN`);
}

function serviceOf({ "base-url": url, "token-header": header = TOKEN_HEADERS[0] }: Values) {
  const [baseUrl, source] = url === undefined ? [process.env.FINDINGS_URL, "FINDINGS_URL"] : [url, "--base-url"];
  if (!baseUrl) return refuse("the service's URL is missing: pass --base-url, or set FINDINGS_URL");
  return {
    baseUrl: usable("", () => readBaseUrl(baseUrl, source)),
    tokenHeader: oneOf("token-header", header, TOKEN_HEADERS),
  };
}

function oneOf<Value extends string>(option: string, value: string, known: readonly Value[]): Value {
  return (
    known.find((one) => one === value) ?? refuse(`--${option} must be ${known.map((one) => `'${one}'`).join(" or ")}`)
  );
}

/** Reads a part of the command line, whose errors are those of the user. */
function usable<Result>(what: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    return refuse(`${what}${(error as Error).message}`);
  }
}

/** The origin of a page, as browsers send it. */
function originOf(text: string | undefined): string | undefined {
  const origin = text === undefined ? undefined : URL.canParse(text) ? new URL(text).origin : "null";
  return origin === "null" ? refuse("--origin must be the URL of a page, such as https://app.example") : origin;
}

/** Refuses to replace a file that the export reads, by whatever link. */
function checkFile(to: string, { join, base, where }: Values): void {
  const { FINDINGS_TOKEN_FILE } = process.env;
  const read = { "--join": join, "--base": base, "--where": conditionsFileOf(where), FINDINGS_TOKEN_FILE };
  const identityOf = (path: string) =>
    orUndefined(() => {
      const { dev, ino } = statSync(path, { bigint: true });
      return `${dev} ${ino}`;
    });
  const own = identityOf(to);
  for (const [option, path = ""] of Object.entries(read))
    if (own !== undefined && identityOf(path) === own)
      refuse(`--to names the file of ${option}, which the export would replace: name another file`);
}

/** The names of columns: with commas between them, or a list as JSON, in which a name may have one. */
function columnsOf(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const names: unknown = text.startsWith("[")
    ? jsonIn(text, "--columns", '["Comment","Sentiment"]')
    : text.split(",").map((name) => name.trim());
  const areNames =
    Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === "string" && name !== "");
  return areNames
    ? names
    : refuse("--columns needs the names of columns with commas between them, such as Comment,Sentiment");
}

/** Conditions as JSON, or a list of alternatives. */
function whereOf(text: string | undefined): Conditions | undefined {
  if (text === undefined) return undefined;
  const file = conditionsFileOf(text);
  const json = file && usable("the file of --where cannot be read: ", () => textOf(readFileSync(file)));
  const hint = ". If your shell has removed quotes, save the JSON in a file, and pass '@FILE'";
  const where = jsonIn(json ?? text, "--where", '{"Sentiment":{"max":-1}}', hint);
  return usable("--where: ", () => new Conditions(where, true));
}

/** The path of a file with conditions: no shell changes its quotes. */
function conditionsFileOf(text: string | undefined): string | undefined {
  return text?.startsWith("@") ? fromHome(text.slice(1)) : undefined;
}

function jsonIn(text: string, option: string, example: string, hint = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(`${option} must be JSON, such as '${example}'; got ${described(text)}${hint}`);
  }
}

function fileOf({ to = "", separator = "," }: Values) {
  const format = FORMATS.find((extension) => extension === extname(to).toLowerCase());
  if (format === undefined) return refuse(`export needs --to FILE, whose name ends with ${FORMATS.join(", ")}`);
  if (separator !== "," && format !== ".csv") refuse("--separator applies only to a .csv file");
  return { to, format, separator: oneOf("separator", separator, SEPARATORS) };
}

function joinOf({ join, on }: Values) {
  if (!join !== !on)
    refuse("--join FILE and --on COLUMN belong together: the CSV file, and the column that it and the findings have");
  return join && on ? { file: join, by: on } : undefined;
}

/** A path. No shell replaces the `~` of `--to=~/findings.csv`. */
function fromHome(path: string): string {
  return path.replace(/^~(?=\/)/, homedir());
}
