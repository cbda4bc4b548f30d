// A request as it arrives: what the arguments of `fetch` mean, read by their shape.

export interface Arrival {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly signal: AbortSignal | undefined;
  /** Reads the body. */
  text(): Promise<string>;
}

/** Reads the arguments of `fetch`. Throws a `TypeError` for an invalid URL. */
export function readArrival(input: string | URL | Request, init: RequestInit = {}): Arrival {
  const request = isRequest(input) ? input : undefined;
  return {
    url: new URL(request?.url ?? String(input), baseUrl()).href,
    method: (init.method ?? request?.method ?? "GET").toUpperCase(),
    headers: new Headers(init.headers ?? request?.headers),
    signal: init.signal ?? request?.signal ?? undefined,
    text: async () => (init.body === undefined && request !== undefined ? request : new Response(init.body)).text(),
  };
}

/** The base of relative URLs: the URL of the page or worker; undefined in Node. */
function baseUrl(): string | undefined {
  return globalThis.document?.baseURI ?? globalThis.location?.href;
}

function isRequest(input: string | URL | Request): input is Request {
  return typeof input === "object" && "url" in input;
}
