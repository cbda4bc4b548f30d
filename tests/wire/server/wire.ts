/** The services on the wire: each has its own port, the responses of a fake service, and rules that change them. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createFakeService, type FakeService } from "inspection-findings/testing";
import { optionsOf } from "../inspection.ts";
import { readOperation } from "../service/operation.js";
import { deliver } from "./delivery.ts";
import type { Manner, Rule, Settings, Visit } from "./manner.ts";
import { responseBytes } from "./response.ts";

/** The record of the service so far: its requests in the order of their arrival, and the number of open connections. */
export interface Sight {
  visits: Visit[];
  connections: number;
}

/** The path of a request of the tests, not of the package: its response means that all earlier requests have arrived. */
const fence = "/fence";

/** The services by their base URLs. */
const wires = new Map<string, Wire>();

/** The command of a test that opens a service, and returns its base URL. */
export async function openWire(_context: unknown, settings: Settings): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const wire = new Wire(settings, server);
  wires.set(wire.baseUrl, wire);
  return wire.baseUrl;
}

/** The command of a test that looks at a service, releases its held requests, or closes it. */
export async function controlWire(_context: unknown, baseUrl: string, action: "look" | "release" | "close") {
  return wires.get(baseUrl)?.[action]();
}

/** A service whose requests Node reads. Its responses go to the bare socket, because an HTTP server cannot misbehave on demand. */
class Wire {
  readonly #rules: Rule[];
  readonly #service: FakeService;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #visits: Visit[] = [];
  /** Releases of the held requests. */
  readonly #held: (() => void)[] = [];

  /** @param server listens */
  constructor({ partitions = 4, rules = [] }: Settings, server: Server) {
    this.#rules = rules;
    this.#server = server.on("connection", (socket) => this.#connect(socket));
    this.#server.on("request", (request) => this.#respond(request));
    this.#service = createFakeService({ baseUrl: this.baseUrl, ...optionsOf(partitions) });
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/cxi/`;
  }

  look(): Sight {
    return { visits: this.#visits, connections: this.#sockets.size };
  }

  /** Releases all held requests. */
  release(): void {
    for (const goOn of this.#held.splice(0)) goOn();
  }

  /** Refuses new connections. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #connect(socket: Socket): void {
    this.#sockets.add(socket.setNoDelay());
    socket.on("close", () => this.#sockets.delete(socket));
  }

  async #respond(request: IncomingMessage): Promise<void> {
    const { socket } = request;
    if (request.url === fence) {
      socket.write("HTTP/1.1 204 Reached\r\naccess-control-allow-origin: *\r\n\r\n");
      return;
    }
    const visit = this.#note(request);
    const leave = () => {
      if (visit.state === "open") visit.state = "left";
    };
    socket.on("close", leave);
    const manner = this.#mannerFor(visit);
    if (manner.held) await new Promise<void>((resolve) => this.#held.push(resolve));
    const response = await this.#response(request);
    await deliver(socket, await responseBytes(response, manner), manner, visit);
    if (visit.state !== "open") socket.off("close", leave);
  }

  #note({ method = "", url = "", headers }: IncomingMessage): Visit {
    const path = url.replace(/^\/cxi\//, "");
    const index = readOperation(path)?.partition?.index ?? -1;
    const count = this.#visits.filter((visit) => visit.method === method && visit.path === path).length + 1;
    const visit: Visit = { method, path, index, count, headers, sent: 0, stalled: false, state: "open" };
    this.#visits.push(visit);
    return visit;
  }

  #mannerFor(visit: Visit): Manner {
    const rule = this.#rules.find(
      ({ method = "GET", index = visit.index, times = Number.POSITIVE_INFINITY }) =>
        method === visit.method && index === visit.index && visit.count <= times,
    );
    return rule?.manner ?? {};
  }

  /** The response of a correct service, with CORS headers for any origin. */
  async #response({ method, url = "", headers }: IncomingMessage): Promise<Response> {
    const origin = "access-control-allow-origin";
    if (method === "OPTIONS") {
      const allowed = headers["access-control-request-headers"] ?? "";
      const permissions = { "access-control-allow-headers": allowed, "access-control-max-age": "600" };
      return new Response(null, { status: 204, headers: { [origin]: "*", ...permissions } });
    }
    const response = await this.#service.fetch(new URL(url, this.baseUrl), { method });
    response.headers.set(origin, "*");
    return response;
  }
}
