/** A service of another origin: a local server that records its requests. */

import { serve as serveHttp } from "../http-server.js";

export interface Asked {
  method: string;
  url: string;
  headers: Record<string, string | undefined>;
}

export interface SecondOrigin extends AsyncDisposable {
  /** The base URL of the service, with its trailing slash. */
  readonly baseUrl: string;
  /** The address of the page on this server, if it serves one. */
  readonly page: string;
  readonly asked: Asked[];
  close(): Promise<void>;
}

interface Manner {
  /** The findings of each partition, of both kinds, as JSON texts. */
  partitions?: string[];
  /** The headers of every response. */
  headers?: Record<string, string>;
  /** The required token header and its value. All requests without it but OPTIONS get a 401. */
  token?: readonly [header: string, value: string];
  /** The paths for which the connection breaks. */
  broken?: RegExp;
  /** What a response waits for, if it waits. */
  held?: (url: string) => Promise<void> | undefined;
  /** The path of the service. */
  path?: string;
  /** The address of a page to serve at all paths outside the service. */
  page?: string;
}

/** CORS headers for pages of all origins with either token header. */
export const open = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "authorization, authentication",
};

export async function serve(manner: Manner = {}): Promise<SecondOrigin> {
  const { partitions = [], headers = open, token, broken, held, path = "/cxi/", page } = manner;
  const asked: Asked[] = [];
  const { origin, close } = await serveHttp(async (request) => {
    const { pathname, search } = new URL(request.url);
    const url = pathname + search;
    if (page !== undefined && !url.startsWith(path)) {
      return handOn(new URL(url, page));
    }
    asked.push({ method: request.method, url, headers: Object.fromEntries(request.headers) });
    await held?.(url);
    if (broken?.test(url)) {
      throw new Error("broken");
    } else if (request.method === "OPTIONS") {
      return new Response(null, { status: 204, headers });
    } else if (token !== undefined && request.headers.get(token[0]) !== token[1]) {
      return json(401, '{"errors":["The token is not valid."]}');
    } else {
      const body = bodyOf(url);
      return json(body === undefined ? 404 : 200, body ?? '{"errors":["There is no such thing."]}');
    }
  });
  return {
    baseUrl: origin + path,
    page: page === undefined ? "" : origin + new URL(page).pathname,
    asked,
    close,
    [Symbol.asyncDispose]: close,
  };

  function bodyOf(url: string): string | undefined {
    const counts = { TopicPartitions: partitions.length, SentimentPartitions: partitions.length };
    const endpoint = /^Findings\/(-?\d+)(?:\/(?:Topics|Sentiment)\/(\d+))?$/;
    const [, key, index] = endpoint.exec(url.slice(path.length)) ?? [];
    const findings = partitions[Number(index)];
    if (index !== undefined) {
      return findings && `{"Findings":${findings}}`;
    }
    return key && JSON.stringify(counts);
  }

  function json(status: number, body: string): Response {
    return new Response(body, { status, headers: { "content-type": "application/json", ...headers } });
  }
}

/** Responds with the content of another URL. */
async function handOn(url: URL): Promise<Response> {
  const { status, headers, body } = await fetch(url);
  return new Response(body, {
    status,
    headers: { "content-type": headers.get("content-type") ?? "application/octet-stream" },
  });
}
