// The redaction of errors: they are logged, so none of their texts may contain a secret of a header.

import { hasMembers, memberOf, orUndefined } from "./member.js";

/** The headers whose values are secrets regardless of their length. */
const CREDENTIALS = ["authorization", "authentication", "cookie"];

/** What other headers of secrets have in their names. */
const NAME_OF_SECRET = /authorization|authentication|cookie|key|token|secret|session|password|(?<![a-z])auth(?![a-z])/;

/** The minimum length of a secret in a header that says by its name that it has one. Shorter values occur in texts by chance. */
const MIN_LENGTH = 4;

/** The minimum length of a secret in any other header. Shorter values are ordinary words, such as the name of an environment. */
const MIN_TOKEN = 16;

/** The mark at the end of a truncated text, which may end in the beginning of a secret. */
const ELLIPSIS = "…";

/** How often a text is decoded: a service may put JSON into HTML, and that into JSON. */
const MAX_DECODINGS = 5;

/** The codes of a character in JSON, JavaScript, URLs and HTML. */
const CODE = /[\\%]u([\da-f]{4})|(?:\\x|%)([\da-f]{2})|&#x0*([\da-f]{1,4});?|&#0*(\d{1,5});?|&(\w+);|\\(.)/gis;

/** The beginning of a code, where a text is cut. */
const CUT_CODE = /(?:[\\%](?:u[\da-f]{0,3}|x?[\da-f]?)|&#?\w*)(?=…)/gi;

/** The names of ASCII characters in HTML, from some characters on. */
const NAMES: [first: string, names: string[]][] = [
  ["!", "excl quot num dollar percnt amp apos lpar rpar ast plus comma - period sol".split(" ")],
  [":", "colon semi lt equals gt quest commat".split(" ")],
  ["[", "lsqb bsol rsqb hat lowbar grave".split(" ")],
  ["{", "lcub verbar rcub".split(" ")],
];

/** Redacts the texts that contain a secret of the headers of one request, of any attempt. */
export class Redaction {
  readonly #secrets: readonly string[];
  readonly #replacement: string;

  /** @param replacement for a redacted text */
  constructor(attempts: readonly Headers[], replacement: string) {
    const secrets = attempts.flatMap((headers) => [...headers].flatMap(([name, value]) => secretsOf(name, value)));
    // Of few characters, only the secret itself is one: what it is a code of may be a space.
    const long = secrets.filter(({ length }) => length >= MIN_LENGTH);
    const coded = [...long.flatMap(decodings), ...long.flatMap(inBase64)].filter(({ length }) => length >= MIN_LENGTH);
    this.#secrets = [...new Set([...secrets, ...coded])];
    this.#replacement = replacement;
  }

  /** Whether a text contains a secret, as it is, in base64, or in the codes of JSON, URLs, forms and HTML. */
  quotes(text: string): boolean {
    return decodings(text).some((text) => {
      const cut = text.split(ELLIPSIS).slice(0, -1);
      const parts = cut.filter(({ length }) => length >= MIN_LENGTH);
      return this.#secrets.some(
        (secret) => text.includes(secret) || parts.some((part) => endsWithBeginning(part, secret)),
      );
    });
  }

  /**
   * Returns a safe copy of the value that a request failed with. Primitives stay; for an object, a new error gets the
   * name, the message, the code, the stack and a copy of its cause. Other members may contain the request with its
   * headers.
   *
   * @param levels how many objects to copy, each the cause of the one before
   */
  cause(value: unknown, levels = 4): unknown {
    if (!hasMembers(value)) {
      return this.quotes(String(value)) ? this.#replacement : value;
    }
    const members = membersOf(value);
    const name = this.#text(members.name) || "Error";
    const message = this.#text(members.message) ?? "";
    const options = levels > 1 && members.cause !== undefined ? { cause: this.cause(members.cause, levels - 1) } : {};
    const error = new (name === "TypeError" ? TypeError : Error)(message, options);
    const stack = this.#text(members.stack);
    hide(error, "name", name);
    hide(error, "stack", stack === undefined || stack === this.#replacement ? `${name}: ${message}` : stack);
    const { code } = members;
    if ((typeof code === "string" || typeof code === "number") && !this.quotes(String(code))) {
      Object.assign(error, { code });
    }
    return error;
  }

  #text(text: unknown): string | undefined {
    if (typeof text !== "string") return undefined;
    return this.quotes(text) ? this.#replacement : text;
  }
}

/** The members of an error that are kept; they may have any type. */
type Members = Record<"name" | "message" | "code" | "stack" | "cause", unknown>;

/** Returns the secrets in a header value: the value, and parts that are secret alone, such as a token. */
function secretsOf(name: string, value: string): string[] {
  if (name === "accept") return [];
  const least = leastLength(name);
  const [, afterScheme = ""] = value.match(/^\S+ +(.+)$/) ?? [];
  const parameters = [...value.matchAll(/=\s*"?([^\s",;]+)/g)].map(([, parameter = ""]) => parameter);
  // A header that is given twice is sent as a list.
  const items = value.split(",").map((item) => item.trim());
  const login = /^basic /i.test(value) ? (orUndefined(() => atob(afterScheme)) ?? "") : "";
  const [user = "", ...password] = login.split(":");
  return [
    ...[value, afterScheme].filter(({ length }) => length >= least),
    ...[...parameters, ...items, login, user, password.join(":")].filter(
      ({ length }) => length >= Math.max(least, MIN_LENGTH),
    ),
  ];
}

/** The minimum length of a secret in a header of this name. */
function leastLength(name: string): number {
  if (CREDENTIALS.includes(name)) return 1;
  return NAME_OF_SECRET.test(name) ? MIN_LENGTH : MIN_TOKEN;
}

/** Returns a text, and what it is a code of. Both the secrets and the texts are decoded, because a secret may look like a code. */
function decodings(text: string): string[] {
  const all = [text];
  for (let last = ""; last !== text && all.length <= MAX_DECODINGS; all.push(text)) {
    last = text;
    text = text.replace(CUT_CODE, "").replace(CODE, character);
  }
  // A form has a plus for a space. A backslash at the end of a secret may seem to escape what follows. Services read and write other bytes
  // than those of ASCII in several ways.
  return [...new Set([...all, ...all.map((one) => one.replaceAll("+", " ").replace(/\\|[^\0-\x7f…]/g, ""))])];
}

function character(code: string, ...groups: (string | undefined)[]): string {
  const [four, two, ofHtml, decimal, name, itself] = groups;
  const hex = four ?? two ?? ofHtml;
  if (itself !== undefined) return itself;
  if (name === undefined) return String.fromCharCode(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  for (const [first, names] of NAMES) {
    const at = names.indexOf(name.toLowerCase());
    if (at >= 0) return String.fromCharCode(first.charCodeAt(0) + at);
  }
  return code;
}

/** Returns what every base64 of a text with a secret contains, whatever stands around the secret. */
function inBase64(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    // A value of a header has no character beyond U+00FF.
    const base64 = btoa("\0".repeat(before) + secret);
    const padding = base64.length - base64.replace(/=+$/, "").length;
    // Characters that have bits of a neighbour differ.
    const own = base64.slice(before && before + 1, padding === 0 ? undefined : -1 - padding);
    return [own, own.replaceAll("+", " "), own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** Whether a part before an ellipsis, where the package or the service has cut a text, ends with the beginning of a secret. */
function endsWithBeginning(text: string, secret: string): boolean {
  const start = secret.slice(0, MIN_LENGTH);
  // The beginning of the secret can only be where its first characters are.
  for (let at = text.indexOf(start); secret.length >= MIN_LENGTH && at >= 0; at = text.indexOf(start, at + 1)) {
    if (secret.startsWith(text.slice(at))) return true;
  }
  return false;
}

/** Reads members of a foreign object; a member that throws counts as missing. */
function membersOf(value: object): Members {
  const names = ["name", "message", "code", "stack", "cause"] as const;
  return Object.fromEntries(names.map((name) => [name, memberOf(value, name)])) as Members;
}

/** Sets a member that is not enumerable, as usual for errors. */
function hide(error: Error, name: string, value: string): void {
  Object.defineProperty(error, name, { value, configurable: true, writable: true, enumerable: false });
}
