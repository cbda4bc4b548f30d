// The command line: the words after `npx inspection-findings`, checked.

import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { extname } from "node:path";
import process from "node:process";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { described } from "../argument/refusal.js";
import { readBaseUrl } from "../client/options/base-url.js";
import { type CsvSeparator, SEPARATORS } from "../export/csv-writer.js";
import type { FindingKind } from "../table/finding.js";
import { Conditions } from "../table/queries/conditions.js";
import type { Join } from "./joined-columns.js";
import { hintOf } from "./name-hint.js";
import { FORMATS, type FormatName } from "./output.js";
import type { Selected } from "./selection.js";
import { textOf } from "./text-file.js";
import { TOKEN_HEADERS, type TokenHeader } from "./token.js";

/** What every command has. */
interface Common {
  readonly inspectionKey: string;
  readonly baseUrl: string;
  readonly tokenHeader: TokenHeader;
}

export type Command =
  | { readonly name: "help" }
  | { readonly name: "version" }
  | (Common & {
      readonly name: "export";
      readonly kind: FindingKind;
      readonly to: string;
      readonly format: FormatName;
      readonly separator: CsvSeparator;
      readonly join: Join | undefined;
      readonly selected: Selected;
      readonly isSparse: boolean;
    })
  | (Common & {
      readonly name: "respondents";
      readonly kind: FindingKind;
      readonly to: string;
      readonly separator: CsvSeparator;
      /** The column whose values are the respondents. */
      readonly distinct: string;
      /** The column whose values get a column each. */
      readonly by: readonly string[];
      readonly across: undefined;
      readonly join: Join | undefined;
      readonly isSparse: boolean;
    })
  | (Common & { readonly name: "counts"; readonly isJson: boolean })
  | (Common & { readonly name: "check"; readonly origin: string | undefined; readonly isJson: boolean })
  | (Common & {
      readonly name: "summary";
      readonly kind: FindingKind;
      readonly by: readonly string[];
      readonly across: string | undefined;
      readonly distinct: string | undefined;
      readonly join: Join | undefined;
      readonly isSparse: boolean;
      readonly isJson: boolean;
    });

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

type OptionName = keyof typeof OPTIONS;

/** The options that only some commands have. */
const OWN: Record<string, readonly OptionName[]> = {
  export: ["to", "separator", "join", "on", "columns", "where", "sparse", "per", "by"],
  counts: ["json"],
  check: ["origin", "json"],
  summary: ["by", "across", "distinct", "join", "on", "sparse", "json"],
};

/** Reads the command line. Quotes no word of it that could be a token. */
export function commandOf(words: string[]): Command {
  const { values, positionals, tokens } = parsed(words);
  checkOnce(tokens.flatMap((token) => (token.kind === "option" ? [token.name] : [])));
  if (values.version) return { name: "version" };
  if (values.help || words.length === 0) return { name: "help" };
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
  const common = { inspectionKey, ...serviceOf(values) };
  const { by, across, distinct, json: isJson = false, sparse: isSparse = false } = values;
  switch (name) {
    case "export":
      if (values.per !== undefined || by !== undefined) {
        return { name: "respondents", ...common, kind: kindOf(kind), ...respondentsOf(values) };
      }
      return { name, ...common, kind: kindOf(kind), ...filesOf(values) };
    case "summary":
      if (by === undefined) throw new UsageError("summary needs --by COLUMN, such as --by TopicGroup");
      return {
        name,
        ...common,
        kind: kindOf(kind ?? "sentiment"),
        by,
        across,
        distinct,
        join: joinOf(values),
        isSparse,
        isJson,
      };
    case "check":
      return { name, ...common, origin: originOf(values.origin), isJson };
    default:
      return { name: "counts", ...common, isJson };
  }
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
      `${unknown ?? "an option"} is unknown${hintOf(unknown, names, "the options", String)}. ` +
        "The token is not an option: set FINDINGS_TOKEN",
    );
  }
}

/** Throws if an option with one value is there twice: `parseArgs` drops the first value. */
function checkOnce(names: readonly string[]): void {
  const single = Object.entries(OPTIONS).filter(([, option]) => option.type === "string" && !("multiple" in option));
  const twice = single.find(([name]) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw new UsageError(`--${twice[0]} is there twice: pass it once`);
}

function serviceOf(values: { "base-url"?: string; "token-header"?: string }): Pick<Common, "baseUrl" | "tokenHeader"> {
  const baseUrl = values["base-url"] ?? process.env.FINDINGS_URL;
  if (!baseUrl) throw new UsageError("the service's URL is missing: pass --base-url, or set FINDINGS_URL");
  const source = values["base-url"] === undefined ? "FINDINGS_URL" : "--base-url";
  const header = values["token-header"] ?? "authorization";
  const tokenHeader = TOKEN_HEADERS.find((name) => name === header);
  if (tokenHeader === undefined) throw new UsageError(`--token-header must be ${TOKEN_HEADERS.join(" or ")}`);
  try {
    return { baseUrl: readBaseUrl(baseUrl, source), tokenHeader };
  } catch (error) {
    throw new UsageError((error as TypeError).message);
  }
}

/** The origin of a page, as browsers send it. */
function originOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const origin = URL.canParse(text) ? new URL(text).origin : "null";
  if (origin === "null") throw new UsageError("--origin must be the URL of a page, such as https://app.example");
  return origin;
}

function kindOf(word: string | undefined): FindingKind {
  if (word === "sentiment" || word === "topics") return word;
  throw new UsageError("the word after the inspection key must be sentiment or topics");
}

interface FileValues {
  to?: string;
  separator?: string;
  join?: string;
  on?: string;
  columns?: string;
  where?: string;
  sparse?: boolean;
}

type Files = Pick<Command & { name: "export" }, "to" | "format" | "separator" | "join" | "selected" | "isSparse">;

function filesOf(values: FileValues): Files {
  const selected = { columns: columnsOf(values.columns), where: whereOf(values.where) };
  const files = {
    ...fileOf(values.to, values.separator),
    join: joinOf(values),
    selected,
    isSparse: values.sparse ?? false,
  };
  for (const [what, path] of [
    ["--join", files.join?.file],
    ["--where", conditionsFileOf(values.where)],
    ["FINDINGS_TOKEN_FILE", process.env.FINDINGS_TOKEN_FILE],
  ] as const) {
    if (path && areSameFile(files.to, path)) {
      throw new UsageError(`--to names the file of ${what}, which the export would replace: name another file`);
    }
  }
  return files;
}

/** What is needed for a row of each respondent. */
function respondentsOf({ per, by, ...values }: FileValues & { per?: string; by?: string[] }) {
  const needed =
    "export needs --per COLUMN and one --by COLUMN for a row of each respondent, such as --per RespondentId";
  if (per === undefined || by?.length !== 1) throw new UsageError(`${needed} --by TopicGroup`);
  if (values.columns !== undefined || values.where !== undefined) {
    throw new UsageError("--columns and --where do not apply to export --per");
  }
  const { to, format, separator, join, isSparse } = filesOf(values);
  if (format !== ".csv") throw new UsageError("export --per needs --to FILE, whose name ends with .csv");
  return { to, separator, join, isSparse, distinct: per, by, across: undefined };
}

/** The names of columns: with commas between them, or a list as JSON, in which a name may have one. */
function columnsOf(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const names: unknown = text.startsWith("[") ? jsonIn(text, "--columns") : text.split(",").map((name) => name.trim());
  if (Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === "string" && name !== "")) {
    return names;
  }
  throw new UsageError("--columns needs the names of columns with commas between them, such as Comment,Sentiment");
}

/** Conditions as JSON, or a list of alternatives. */
function whereOf(text: string | undefined): Conditions | undefined {
  if (text === undefined) return undefined;
  const file = conditionsFileOf(text);
  const where = jsonIn(file === undefined ? text : contentOf(file), "--where");
  try {
    return new Conditions(where, true);
  } catch (error) {
    throw new UsageError(`--where: ${(error as TypeError).message}`);
  }
}

/** The path of a file with conditions: no shell changes its quotes. */
function conditionsFileOf(text: string | undefined): string | undefined {
  return text?.startsWith("@") ? fromHome(text.slice(1)) : undefined;
}

function contentOf(path: string): string {
  try {
    return textOf(readFileSync(path));
  } catch (error) {
    throw new UsageError(`the file of --where cannot be read: ${(error as Error).message}`);
  }
}

function jsonIn(text: string, option: "--where" | "--columns"): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const [example, file] = {
      "--where": [
        '{"Sentiment":{"max":-1}}',
        ". If your shell has removed quotes, save the JSON in a file, and pass '@FILE'",
      ],
      "--columns": ['["Comment","Sentiment"]', ""],
    }[option] as [string, string];
    throw new UsageError(`${option} must be JSON, such as '${example}'; got ${described(text)}${file}`);
  }
}

/** Whether two paths lead to one file, by whatever links. */
function areSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map(identityOf);
  return first !== undefined && first === second;
}

/** What identifies a file; undefined if there is none, or if it cannot be reached. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    // Whatever reads or writes it reports what is wrong.
    return undefined;
  }
}

function fileOf(
  to: string | undefined,
  separator: string | undefined,
): { to: string; format: FormatName; separator: CsvSeparator } {
  const format = FORMATS.find((extension) => extension === extname(to ?? "").toLowerCase());
  if (to === undefined || format === undefined) {
    throw new UsageError(`export needs --to FILE, whose name ends with ${FORMATS.join(", ")}`);
  }
  if (separator !== undefined && format !== ".csv") throw new UsageError("--separator applies only to a .csv file");
  const known = SEPARATORS.find((one) => one === (separator ?? ","));
  if (known === undefined)
    throw new UsageError(`--separator must be ${SEPARATORS.map((one) => `'${one}'`).join(" or ")}`);
  return { to: fromHome(to), format, separator: known };
}

function joinOf({ join, on }: { join?: string; on?: string }): Join | undefined {
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
