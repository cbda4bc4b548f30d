// A request handler of MSW, made by its shape: a page that never calls `handlers()` needs no MSW, and one that does has its own.

import type { Arrival } from "./arrival.js";
import type { RequestHandler } from "./fake-service.js";

/** The service behind the handler. */
export interface Responder {
  isMeant(url: string): boolean;
  respond(arrival: Arrival): Promise<Response>;
}

/** The members of a request handler that MSW uses, from version 2.0 on. */
interface HandlerShape {
  readonly kind: "request";
  /** The name of `kind` up to 2.12. */
  readonly __kind: "RequestHandler";
  readonly info: { readonly header: string; readonly method: RegExp; readonly path: RegExp };
  isUsed: boolean;
  parse(): Promise<object>;
  test(visit: { request: Request }): Promise<boolean>;
  predicate(visit: { request: Request }): boolean;
  run(visit: { request: Request; requestId?: string }): Promise<Result | null>;
  log(): void;
  reset(): void;
  restore(): void;
  dispose(): void;
}

interface Result {
  readonly handler: HandlerShape;
  readonly request: Request;
  readonly requestId: string | undefined;
  readonly response: Response;
  readonly parsedResult: object;
}

/** Makes a handler of all requests that are meant for a service. Others are left to other handlers. */
export function makeHandler(service: Responder, baseUrl: string): RequestHandler {
  const handler: HandlerShape = {
    kind: "request",
    __kind: "RequestHandler",
    info: { header: `all ${baseUrl}Findings/*`, method: /.*/, path: /.*/ },
    isUsed: false,
    parse: async () => ({}),
    predicate: ({ request }) => service.isMeant(request.url),
    test: async ({ request }) => service.isMeant(request.url),
    async run({ request, requestId }) {
      if (!service.isMeant(request.url)) return null;
      handler.isUsed = true;
      const { url, method, headers, signal } = request;
      // MSW knows a broken connection by this response, and would report a rejection as a mistake of the handler.
      const response = await service.respond({ url, method, headers, signal }).catch(() => Response.error());
      return { handler, request, requestId, response, parsedResult: {} };
    },
    log() {},
    reset() {},
    restore() {},
    dispose() {},
  };
  return handler as unknown as RequestHandler;
}
