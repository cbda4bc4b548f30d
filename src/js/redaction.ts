// The redaction of an error: errors are logged, so none of their texts may quote the value of a request header.

import { hasMembers, memberOf } from "./member.js";

/** The headers whose values are left out of a text whatever their length. */
const CREDENTIALS = ["authorization", "authentication", "cookie"];

/** The least length of another value that is left out. Shorter ones occur in any text by chance. */
const MIN_LENGTH = 4;

/** The mark of a text that was cut, where the beginning of a value may stand. */
const ELLIPSIS = "…";

/** Leaves out the texts that quote the headers of one request. */
export class Redaction {
  readonly #secrets: readonly string[];
  readonly #replacement: string;

  /** @param replacement stands in place of a text that is left out */
  constructor(headers: Headers, replacement: string) {
    const secrets = [...headers].flatMap(([name, value]) => secretsOf(name, value));
    // Keys of JSON, and messages that quote a value as JSON, have it escaped.
    this.#secrets = [...new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))];
    this.#replacement = replacement;
  }

  /** Whether a text quotes a header. */
  quotes(text: string): boolean {
    const beginnings = text.split(ELLIPSIS).slice(0, -1);
    return this.#secrets.some(
      (secret) => text.includes(secret) || beginnings.some((beginning) => endsInPartOf(beginning, secret)),
    );
  }

  /**
   * Returns what may be known of a value that a request has failed with: primitives stay, and of an object a new error has the name, the
   * message, the code and the stack. Other members may have the request with its headers.
   */
  cause(value: unknown): unknown {
    return this.#copy(value, ({ cause }) => (cause === undefined ? {} : { cause: this.#copy(cause, () => ({})) }));
  }

  #copy(value: unknown, optionsOf: (members: Members) => ErrorOptions): unknown {
    if (!hasMembers(value)) {
      return this.quotes(String(value)) ? this.#replacement : value;
    }
    const members = membersOf(value);
    const name = this.#text(members.name) || "Error";
    const message = this.#text(members.message) ?? "";
    const error = new (name === "TypeError" ? TypeError : Error)(message, optionsOf(members));
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

/** The members of an error that are kept, of any type. */
type Members = Record<"name" | "message" | "code" | "stack" | "cause", unknown>;

/** Returns what no text may quote of a header: its value, and the parts of it that are secret by themselves, such as a token. */
function secretsOf(name: string, value: string): string[] {
  if (name === "accept") return [];
  const isOfCredentials = CREDENTIALS.includes(name);
  const [, afterScheme = ""] = value.match(isOfCredentials ? /^\S+ +(.+)$/ : /^\S+ +(\S+)$/) ?? [];
  const parameters = isOfCredentials
    ? [...value.matchAll(/=\s*"?([^\s",;]+)/g)].map(([, parameter = ""]) => parameter)
    : [];
  const isLong = ({ length }: string) => length >= MIN_LENGTH;
  return [
    ...[value, afterScheme].filter((part) => (isOfCredentials ? part !== "" : isLong(part))),
    ...parameters.filter(isLong),
  ];
}

/** Whether a text ends in the beginning of a secret. */
function endsInPartOf(text: string, secret: string): boolean {
  for (let { length } = secret; length >= MIN_LENGTH; length--) {
    if (text.endsWith(secret.slice(0, length))) return true;
  }
  return false;
}

/** Reads members that may be the caller's; one that throws is missing. */
function membersOf(value: object): Members {
  const names = ["name", "message", "code", "stack", "cause"] as const;
  return Object.fromEntries(names.map((name) => [name, memberOf(value, name)])) as Members;
}

/** Sets a member as errors have it: not enumerable. */
function hide(error: Error, name: string, value: string): void {
  Object.defineProperty(error, name, { value, configurable: true, writable: true, enumerable: false });
}
