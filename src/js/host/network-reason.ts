// Why a request failed, according to the host or the `fetch` option.

/** A code of a host, such as `ENOTFOUND` or `UND_ERR_SOCKET`. */
const CODE = /^[A-Z][A-Za-z0-9_]{2,63}$/;

/** Returns the code and the message of a request's error; only the message if there is no code; an empty string if there is neither. */
export function reasonOf(cause: unknown): string {
  return typeof cause === "string" ? cause : (codeAndMessageOf(cause) ?? messageOf(cause));
}

/** Whether a browser's `fetch` rejected with this error, which does not give the reason. */
export function isUnexplained(cause: unknown): boolean {
  return cause instanceof Error && cause.name === "TypeError" && codeAndMessageOf(cause) === undefined;
}

/** Finds the first code of an error or of one of its causes. */
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
