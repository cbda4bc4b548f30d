// The redaction of errors: they are logged, so none of their texts may contain a secret of a header.

import { hasMembers, memberOf } from "./member.js";

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

/** Redacts the texts that contain a secret of the headers of one request, of any attempt. */
export class Redaction {
  readonly #secrets: readonly string[];
  readonly #replacement: string;

  /** @param replacement for a redacted text */
  constructor(attempts: readonly Headers[], replacement: string) {
    const secrets = attempts.flatMap((headers) => [...headers].flatMap(([name, value]) => secretsOf(name, value)));
    this.#secrets = [...new Set(secrets)];
    this.#replacement = replacement;
  }

  /** Whether a text contains a secret. */
  quotes(text: string): boolean {
    return this.#has(text) || this.#has(unescaped(text));
  }

  #has(text: string): boolean {
    return this.#secrets.some((secret) => text.includes(secret) || isCutIn(text, secret));
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
  return [
    ...[value, afterScheme].filter(({ length }) => length >= least),
    ...[...parameters, ...items].filter(({ length }) => length >= Math.max(least, MIN_LENGTH)),
  ];
}

/** The minimum length of a secret in a header of this name. */
function leastLength(name: string): number {
  if (CREDENTIALS.includes(name)) return 1;
  return NAME_OF_SECRET.test(name) ? MIN_LENGTH : MIN_TOKEN;
}

/** Decodes the escapes of JSON, which keys and quoted JSON contain, and removes one that is cut. */
function unescaped(text: string): string {
  const character = (_: string, code: string | undefined, itself: string) =>
    code === undefined ? itself : String.fromCharCode(Number.parseInt(code, 16));
  const parts = text.split(ELLIPSIS).map((part) => part.replace(/\\(?:u[\da-f]{0,3})?$/i, ""));
  return parts.join(ELLIPSIS).replace(/\\(?:u([\da-f]{4})|(.))/gis, character);
}

/** Whether the beginning of a secret stands before an ellipsis, where the package or the service has cut a text. */
function isCutIn(text: string, secret: string): boolean {
  return text
    .split(ELLIPSIS)
    .slice(0, -1)
    .some((part) => endsWithBeginning(part, secret));
}

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
