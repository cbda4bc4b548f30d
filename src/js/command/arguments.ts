// The command line: the words after `npx inspection-findings`, checked.

import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { extname } from "node:path";
import process from "node:process";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { described } from "../argument/refusal.js";
import { readBaseUrl } from "../client/options/base-url.js";
import { SEPARATORS } from "../export/csv-writer.js";
import { orUndefined } from "../host/member.js";
import type { FindingKind } from "../table/finding.js";
import { Conditions } from "../table/queries/conditions.js";
import type { Join } from "./joined-columns.js";
import { FORMATS } from "./output.js";
import { textOf } from "./text-file.js";
import { TOKEN_HEADERS } from "./token.js";

/** A command, with what it needs. */
export type Command = ReturnType<typeof commandOf>;

/** A command line that cannot be carried out. */
export class UsageError extends Error {}

const OPTIONS = {
  "base-url": { type: "string" },
  "token-header": { type: "string" },
  to: { type: "string" },
  separator: { type: "string" },
  join: { type: "string" },
  on: { type: "string" },
  by: { type: "string", multiple: true },
  per: { type: "string" },
  columns: { type: "string" },
  where: { type: "string" },
  sparse: { type: "boolean" },
  across: { type: "string" },
  distinct: { type: "string" },
  origin: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const satisfies ParseArgsConfig["options"];

/** The options that only some commands have. */
const OWN: Record<string, readonly (keyof typeof OPTIONS)[]> = {
  export: ["to", "separator", "join", "on", "columns", "where", "sparse", "per", "by"],
  counts: ["json"],
  check: ["origin", "json"],
  summary: ["by", "across", "distinct", "join", "on", "sparse", "json"],
};

/** Reads the command line. Quotes no word of it that could be a token. */
export function commandOf(words: string[]) {
  const { values, positionals, tokens } = parsed(words);
  checkOnce(tokens.flatMap((token) => (token.kind === "option" ? [token.name] : [])));
  if (values.version) return { name: "version" } as const;
  if (values.help || words.length === 0) return { name: "help" } as const;
  const [name = "", inspectionKey, kind, ...others] = positionals;
  const own = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
  if (own === undefined) throw new UsageError("the first word must be export, counts, summary or check");
  for (const option of new Set(Object.values(OWN).flat())) {
    if (values[option] !== undefined && !own.includes(option)) {
      throw new UsageError(`--${option} does not apply to ${name}`);
    }
  }
  if (inspectionKey === undefined || !isKey(inspectionKey)) {
    throw new UsageError(
      `${name} needs an inspection key: an integer of at most 64 bits without leading zeros, such as 42`,
    );
  }
  if (others.length > 0 || (kind !== undefined && (name === "counts" || name === "check"))) {
    throw new UsageError(`${name} has more words than it can use`);
  }
  const common = { inspectionKey, ...serviceOf(values), isJson: values.json ?? false };
  if (name === "counts") return { name, ...common } as const;
  if (name === "check") return { name, ...common, origin: originOf(values.origin) } as const;
  const { by, across, distinct, per } = values;
  if (name === "summary" && by === undefined)
    throw new UsageError("summary needs --by COLUMN, such as --by TopicGroup");
  const of = { ...common, kind: kindOf(kind, name), join: joinOf(values), isSparse: values.sparse ?? false };
  if (by !== undefined && name === "summary") return { name, ...of, by, across, distinct } as const;
  const file = { ...of, ...fileOf(values) };
  checkFile(file.to, values);
  const selected = { columns: columnsOf(values.columns), where: whereOf(values.where) };
  if (per === undefined && by === undefined) return { name: "export", ...file, selected } as const;
  if (per === undefined || by?.length !== 1 || file.format !== ".csv")
    throw new UsageError(
      "export needs --per COLUMN, one --by COLUMN and a .csv file for a row of each respondent, such as --per RespondentId --by TopicGroup",
    );
  if (selected.columns !== undefined || selected.where !== undefined)
    throw new UsageError("--columns and --where do not apply to export --per");
  return { name: "respondents", ...file, distinct: per, by, across: undefined } as const;
}

function isKey(word: string): boolean {
  return /^(?:0|-?[1-9]\d{0,18})$/.test(word) && BigInt.asIntN(64, BigInt(word)) === BigInt(word);
}

function parsed(words: string[]) {
  try {
    return parseArgs({ args: words, options: OPTIONS, allowPositionals: true, tokens: true });
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") throw new UsageError(message);
    const names = Object.keys(OPTIONS).map((name) => `--${name}`);
    // A word with other characters may be a misplaced token.
    const [, found = ""] = /'(--?[a-z]+(?:-[a-z]+)*)'/.exec(message) ?? [];
    const unknown = found === "" || found.length > 20 ? undefined : found;
    throw new UsageError(
      `${unknown ?? "an option"} is unknown; the options are ${names.join(", ")}. The token is not an option: set FINDINGS_TOKEN`,
    );
  }
}

/** Throws if an option with one value is there twice: `parseArgs` drops the first value. */
function checkOnce(names: readonly string[]): void {
  const single = Object.entries(OPTIONS).filter(([, option]) => option.type === "string" && !("multiple" in option));
  const twice = single.find(([name]) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw new UsageError(`--${twice[0]} is there twice: pass it once`);
}

type Values = ReturnType<typeof parsed>["values"];

function serviceOf(values: Values) {
  const baseUrl = values["base-url"] ?? process.env.FINDINGS_URL;
  if (!baseUrl) throw new UsageError("the service's URL is missing: pass --base-url, or set FINDINGS_URL");
  const source = values["base-url"] === undefined ? "FINDINGS_URL" : "--base-url";
  const header = values["token-header"] ?? "authorization";
  const tokenHeader = TOKEN_HEADERS.find((name) => name === header);
  if (tokenHeader === undefined) throw new UsageError(`--token-header must be ${TOKEN_HEADERS.join(" or ")}`);
  return { baseUrl: usable("", () => readBaseUrl(baseUrl, source)), tokenHeader };
}

/** Reads a part of the command line, whose errors are those of the user. */
function usable<Result>(what: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${what}${(error as Error).message}`);
  }
}

/** The origin of a page, as browsers send it. */
function originOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const origin = URL.canParse(text) ? new URL(text).origin : "null";
  if (origin === "null") throw new UsageError("--origin must be the URL of a page, such as https://app.example");
  return origin;
}

function kindOf(word: string | undefined, name: string): FindingKind {
  if (word === "sentiment" || word === "topics") return word;
  if (word === undefined && name === "summary") return "sentiment";
  throw new UsageError("the word after the inspection key must be sentiment or topics");
}

/** Refuses to replace a file that the export reads, by whatever link. */
function checkFile(to: string, { join, where }: Values): void {
  const identityOf = (path: string) =>
    orUndefined(() => {
      const { dev, ino } = statSync(path, { bigint: true });
      return `${dev} ${ino}`;
    });
  const read = [
    ["--join", join && fromHome(join)],
    ["--where", conditionsFileOf(where)],
    ["FINDINGS_TOKEN_FILE", process.env.FINDINGS_TOKEN_FILE],
  ] as const;
  const own = identityOf(to);
  const same = read.find(([, path]) => path && own !== undefined && identityOf(path) === own);
  if (same !== undefined)
    throw new UsageError(`--to names the file of ${same[0]}, which the export would replace: name another file`);
}

/** The names of columns: with commas between them, or a list as JSON, in which a name may have one. */
function columnsOf(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const names: unknown = text.startsWith("[")
    ? jsonIn(text, "--columns", '["Comment","Sentiment"]')
    : text.split(",").map((name) => name.trim());
  if (Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === "string" && name !== "")) {
    return names;
  }
  throw new UsageError("--columns needs the names of columns with commas between them, such as Comment,Sentiment");
}

/** Conditions as JSON, or a list of alternatives. */
function whereOf(text: string | undefined): Conditions | undefined {
  if (text === undefined) return undefined;
  const file = conditionsFileOf(text);
  const json = file && usable("the file of --where cannot be read: ", () => textOf(readFileSync(file)));
  const where = jsonIn(json ?? text, "--where", '{"Sentiment":{"max":-1}}');
  return usable("--where: ", () => new Conditions(where, true));
}

/** The path of a file with conditions: no shell changes its quotes. */
function conditionsFileOf(text: string | undefined): string | undefined {
  return text?.startsWith("@") ? fromHome(text.slice(1)) : undefined;
}

function jsonIn(text: string, option: string, example: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const file =
      option === "--where" ? ". If your shell has removed quotes, save the JSON in a file, and pass '@FILE'" : "";
    throw new UsageError(`${option} must be JSON, such as '${example}'; got ${described(text)}${file}`);
  }
}

function fileOf({ to, separator = "," }: Values) {
  const format = FORMATS.find((extension) => extension === extname(to ?? "").toLowerCase());
  if (to === undefined || format === undefined) {
    throw new UsageError(`export needs --to FILE, whose name ends with ${FORMATS.join(", ")}`);
  }
  if (separator !== "," && format !== ".csv") throw new UsageError("--separator applies only to a .csv file");
  const known = SEPARATORS.find((one) => one === separator);
  if (known === undefined)
    throw new UsageError(`--separator must be ${SEPARATORS.map((one) => `'${one}'`).join(" or ")}`);
  return { to: fromHome(to), format, separator: known };
}

function joinOf({ join, on }: Values): Join | undefined {
  if (join === undefined && on === undefined) return undefined;
  if (join && on) return { file: fromHome(join), by: on };
  throw new UsageError(
    "--join FILE and --on COLUMN belong together: the CSV file, and the column that it and the findings have",
  );
}

/** A path. No shell replaces the `~` of `--to=~/findings.csv`. */
function fromHome(path: string): string {
  return path.replace(/^~(?=\/)/, homedir());
}
