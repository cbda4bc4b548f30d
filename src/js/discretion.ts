// Causes of failed requests, without the values of headers: errors are logged.

/** The shortest text that is taken for a secret; shorter ones occur in any text. */
const SHORTEST = 8;

/** The most values of an error that are searched, those on its surface first. */
const MOST = 1000;

/** Returns the cause of a failed request, or an error in its place where it quotes a header of the request. */
export function discreet(cause: unknown, headers: Headers): unknown {
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
  return [value, ...value.split(/[\s,;="]+/)].filter(({ length }) => length >= SHORTEST);
}

function* textsOf(cause: unknown): Generator<string> {
  const found = new Set([cause]);
  // A set iterates over the values that are added meanwhile, too.
  for (const value of found) {
    if (typeof value === "string") yield value;
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) continue;
    for (const name of namesOf(value)) {
      if (found.size === MOST) break;
      found.add(memberOf(value, name));
    }
  }
}

/** The members of errors are not enumerable. */
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
