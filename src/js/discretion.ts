// Discretion: whoever logs an error must not find there what the headers of a request say.

/** What is shorter is found in any text, and is no secret. */
const SHORTEST = 8;

/** So many values of an error are looked through, those on its surface first. */
const MOST = 1000;

/** What a request failed with; where that quotes one of its headers, an error that says so in its place. */
export function discreet(cause: unknown, headers: Headers): unknown {
  const secrets = [...headers].flatMap(([name, value]) => (name === "accept" ? [] : partsOf(value)));
  for (const text of textsOf(cause)) {
    if (secrets.some((secret) => text.includes(secret))) {
      return new Error("what the request failed with is left out, because it quotes a header of the request");
    }
  }
  return cause;
}

/** A value and what it consists of, such as a token without its scheme. */
function partsOf(value: string): string[] {
  return [value, ...value.split(/[\s,;="]+/)].filter(({ length }) => length >= SHORTEST);
}

function* textsOf(cause: unknown): Generator<string> {
  const found = new Set([cause]);
  // Those that are added meanwhile come in their turn.
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
