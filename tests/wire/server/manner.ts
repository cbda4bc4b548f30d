/** The manner of a response: plain data, because the page sends it to the service. */

/** A missing member means the behaviour of a correct service. */
export interface Manner {
  /** Whether the response waits until the test releases it. */
  held?: boolean;
  status?: number;
  /** Added or replaced headers; null removes one. */
  headers?: Record<string, string | null>;
  /** Everything before the body, in place of status and headers. */
  head?: string;
  /** In place of the correct one. */
  body?: string;
  /** The characters of that body, in place of UTF-8. */
  charset?: "latin1";
  /** The number of spaces after the body. */
  padding?: number;
  encoding?: "gzip" | "br";
  /** The number of bytes to cut from the end of the encoded body, with a matching length. */
  shorten?: number;
  /** The mark of the end of the body, in place of its length. */
  framing?: "chunked" | "close";
  /** The bytes of each chunk. */
  chunk?: number;
  /** The excess of `content-length` over the real length. */
  lie?: number;
  /** Replaces bytes of the framed body, chunk sizes included. */
  overwrite?: { at: number; text: string };
  /** The bytes of each write, and the milliseconds between two. */
  pace?: { bytes: number; every: number };
  stop?: Stop;
}

/** The early end of a response, after a number of bytes of its head or body; a negative number counts from the end. */
export interface Stop {
  after: { head: number } | { body: number };
  by: "close" | "reset" | "stall";
}

/** The requests for a manner. The first matching rule applies. */
export interface Rule {
  /** `GET` by default. */
  method?: "GET" | "OPTIONS";
  /** The partition; −1 for the counts; any by default. */
  index?: number;
  /** The number of first requests of each address; all by default. */
  times?: number;
  manner: Manner;
}

export interface Settings {
  /** The number of partitions of each kind. */
  partitions?: number;
  rules?: Rule[];
}

/** A request, and the state of its response. */
export interface Visit {
  method: string;
  path: string;
  /** The partition; −1 for anything else. */
  index: number;
  /** The number of requests for this address by this method, including this one. */
  count: number;
  /** The headers by their names in lower case. */
  headers: import("node:http").IncomingHttpHeaders;
  /** The number of bytes of the body written to the connection. */
  sent: number;
  /** Whether the response has stalled on an open connection. */
  stalled: boolean;
  /** `broken`: by the manner; `left`: the client closed the connection. */
  state: "open" | "responded" | "broken" | "left";
}
