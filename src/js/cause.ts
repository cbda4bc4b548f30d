// The reason that a host such as Node gives for a request without a complete answer.

/** How many causes of causes to read. */
const MAX_DEPTH = 5;

/** A code of a host, such as `ENOTFOUND` or `UND_ERR_SOCKET`. */
const CODE = /^[A-Z][A-Za-z0-9_]{2,63}$/;

/** Returns the code of what a request failed with, and what it says; an empty text without a code, as in a page. */
export function reasonOf(cause: unknown): string {
  let error = cause;
  for (let depth = 0; depth < MAX_DEPTH && typeof error === "object" && error !== null; depth++) {
    const { code, message, cause } = error as { code?: unknown; message?: unknown; cause?: unknown };
    if (typeof code === "string" && CODE.test(code)) return withCode(code, typeof message === "string" ? message : "");
    error = cause;
  }
  return "";
}

function withCode(code: string, message: string): string {
  if (message.includes(code)) return message;
  return message === "" ? code : `${code}: ${message}`;
}
