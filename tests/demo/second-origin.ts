/** A service of another origin: a local server that records its requests. */

import { type Received, serve as serveHttp } from "../service/http-server.js";

export interface SecondOrigin extends AsyncDisposable {
  /** The base URL of the service, with its trailing slash. */
  readonly baseUrl: string;
  readonly requests: readonly Received[];
}

interface Manner {
  /** The findings of each partition, of both kinds, as JSON texts. */
  partitions?: string[];
  /** The headers of every response. */
  headers?: Record<string, string>;
  /** The required token header and its value. All requests without it but OPTIONS get a 401. */
  token?: readonly [header: string, value: string];
}

/** CORS headers for pages of all origins with either token header. */
export const open = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "authorization, authentication",
};

export async function serve({ partitions = [], headers = open, token }: Manner = {}): Promise<SecondOrigin> {
  const { origin, requests, close } = await serveHttp(async (request) => {
    const isAllowed = token === undefined || request.headers.get(token[0]) === token[1];
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers });
    if (!isAllowed) return json(401, '{"errors":["The token is not valid."]}');
    const body = bodyOf(new URL(request.url).pathname);
    return json(body === undefined ? 404 : 200, body ?? '{"errors":["There is no such thing."]}');
  });
  return { baseUrl: `${origin}/cxi/`, requests, [Symbol.asyncDispose]: close };

  function bodyOf(path: string): string | undefined {
    const [, key, index] = /^\/cxi\/Findings\/(-?\d+)(?:\/(?:Topics|Sentiment)\/(\d+))?$/.exec(path) ?? [];
    const findings = partitions[Number(index)];
    if (index !== undefined) return findings && `{"Findings":${findings}}`;
    return key && JSON.stringify({ TopicPartitions: partitions.length, SentimentPartitions: partitions.length });
  }

  function json(status: number, body: string): Response {
    return new Response(body, { status, headers: { "content-type": "application/json", ...headers } });
  }
}
