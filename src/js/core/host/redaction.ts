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

/** Redacts the texts that contain a secret of the headers of one request, of any attempt. */
export class Redaction {
  /** The secrets as texts quote them, in lower case. */
  readonly #forms: readonly string[];
  readonly #replacement: string;

  /** @param replacement for a redacted text */
  constructor(attempts: readonly Headers[], replacement: string) {
    const secrets = attempts.flatMap((headers) => [...headers].flatMap(([name, value]) => secretsOf(name, value)));
    this.#forms = [...new Set(secrets.flatMap(formsOf))];
    this.#replacement = replacement;
  }

  /** Whether a text contains a secret, as it is, or as a URL or JSON has it. */
  quotes(text: string): boolean {
    const lower = text.toLowerCase();
    const cut = lower.split(ELLIPSIS).slice(0, -1);
    return this.#forms.some((form) => lower.includes(form) || cut.some((part) => endsWithBeginning(part, form)));
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

/** Returns a secret as it is, and as URLs and JSON have it. */
function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  // .NET escapes the plus of base64.
  const forms = [
    secret,
    json,
    json.replaceAll("/", "\\/"),
    json.replaceAll("+", "\\u002b"),
    encodeURIComponent(secret),
  ];
  return forms.map((form) => form.toLowerCase());
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
