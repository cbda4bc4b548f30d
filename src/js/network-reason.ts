// The reason why a request has no complete response, as its host, or the `fetch` option, gives it.

/** A code of a host, such as `ENOTFOUND` or `UND_ERR_SOCKET`. */
const CODE = /^[A-Z][A-Za-z0-9_]{2,63}$/;

/** Returns the code and the message of what a request has failed with; without a code its message, and an empty text without both. */
export function reasonOf(cause: unknown): string {
  return typeof cause === "string" ? cause : (codeAndMessageOf(cause) ?? messageOf(cause));
}

/** Whether a request has failed with what a page gets from its own `fetch`, which tells no page the reason. */
export function isUnexplained(cause: unknown): boolean {
  return cause instanceof Error && cause.name === "TypeError" && codeAndMessageOf(cause) === undefined;
}

/** Finds the first code among an error and its causes, of which there are few. */
function codeAndMessageOf(cause: unknown): string | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const { code, message } = error as Error & { code?: unknown };
    if (typeof code === "string" && CODE.test(code)) return withCode(code, message);
  }
  return undefined;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : "";
}

function withCode(code: string, message: string): string {
  if (message.includes(code)) return message;
  return message === "" ? code : `${code}: ${message}`;
}
