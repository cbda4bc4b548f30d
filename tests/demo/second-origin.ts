/** A service of another origin: a local server that records its requests. */

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
}

export interface SecondOrigin {
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
  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/" } = request;
    if (page !== undefined && !url.startsWith(path)) {
      handOn(new URL(url, page), response);
      return;
    }
    asked.push({ method, url, headers: request.headers });
    await held?.(url);
    if (broken?.test(url)) {
      response.destroy();
    } else if (method === "OPTIONS") {
      response.writeHead(204, headers).end();
    } else if (token !== undefined && request.headers[token[0]] !== token[1]) {
      send(response, 401, '{"errors":["The token is not valid."]}');
    } else {
      const body = bodyOf(url);
      send(response, body === undefined ? 404 : 200, body ?? '{"errors":["There is no such thing."]}');
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");

  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl: origin + path,
    page: page === undefined ? "" : origin + new URL(page).pathname,
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  function bodyOf(url: string): string | undefined {
    const counts = { TopicPartitions: partitions.length, SentimentPartitions: partitions.length };
    const operation = /^Findings\/(-?\d+)(?:\/(?:Topics|Sentiment)\/(\d+))?$/;
    const [, key, index] = operation.exec(url.slice(path.length)) ?? [];
    const findings = partitions[Number(index)];
    if (index !== undefined) {
      return findings && `{"Findings":${findings}}`;
    }
    return key && JSON.stringify(counts);
  }

  function send(response: ServerResponse, status: number, body: string): void {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  }
}

/** Responds with the content of another address. */
async function handOn(url: URL, response: ServerResponse): Promise<void> {
  const answer = await fetch(url);
  const type = answer.headers.get("content-type") ?? "application/octet-stream";
  response.writeHead(answer.status, { "content-type": type }).end(Buffer.from(await answer.arrayBuffer()));
}
