// Redaction of the causes of failed requests: errors are logged, so none may quote the value of a header.

/** The least length of a secret, in characters. Shorter texts occur in any message by chance. */
const MIN_LENGTH = 8;

/** The most values of an error to search, the least nested first. */
const MAX_VALUES = 1000;

/** Returns the cause of a failed request, or another error in its place if it quotes a header of the request. */
export function redacted(cause: unknown, headers: Headers): unknown {
  const secrets = [...headers].flatMap(([name, value]) => (name === "accept" ? [] : partsOf(value)));
  for (const text of textsOf(cause)) {
    if (secrets.some((secret) => text.includes(secret))) {
      return new Error("what the request failed with is left out, because it quotes a header of the request");
    }
  }
  return cause;
}

/** Returns a value and its parts, such as a token without its scheme. */
function partsOf(value: string): string[] {
  return [value, ...value.split(/[\s,;="]+/)].filter(({ length }) => length >= MIN_LENGTH);
}

function* textsOf(cause: unknown): Generator<string> {
  const found = new Set([cause]);
  // The iteration of a set includes values that are added during it.
  for (const value of found) {
    if (typeof value === "string") yield value;
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) continue;
    for (const name of namesOf(value)) {
      if (found.size === MAX_VALUES) break;
      found.add(memberOf(value, name));
    }
  }
}

/** Returns the enumerable names, and those of the members of errors, which are not enumerable. */
function namesOf(value: object): string[] {
  const ofErrors = ["message", "stack", "cause", "errors"];
  try {
    return [...ofErrors, ...Object.keys(value)];
  } catch {
    return ofErrors;
  }
}

function memberOf(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name);
  } catch {
    return undefined;
  }
}
