/** The service on the wire: its own port, the responses of a fake service, and rules that change them. */

import { once } from "node:events";
import { createServer } from "node:net";
import { createFakeService } from "inspection-findings/testing";
import { readOperation } from "../../service/operation.js";
import { optionsOf } from "../inspection.js";
import { Connection } from "./connection.js";
import { deliver } from "./delivery.js";
import { responseBytes } from "./response.js";

/** @typedef {import("./connection.js").RequestHead} RequestHead */
/** @typedef {import("./manner.js").Manner} Manner */
/** @typedef {import("./manner.js").Rule} Rule */
/** @typedef {import("./manner.js").Settings} Settings */
/** @typedef {import("./manner.js").Visit} Visit */

/**
 * The record of the service so far.
 * @typedef {object} Sight
 * @property {Visit[]} visits in the order of their arrival
 * @property {number} connections number of open connections
 */

/** The path of a request of the tests, not of the package: its response means that all earlier requests have arrived. */
const fence = "/fence";

export class Wire {
  #rules;
  #service;
  #server;
  /** @type {Set<import("node:net").Socket>} */
  #sockets = new Set();
  /** @type {Visit[]} */
  #visits = [];
  /** @type {(() => void)[]} releases of the held requests */
  #held = [];

  /**
   * @param {Settings} settings
   * @param {import("node:net").Server} server that listens
   */
  constructor({ partitions = 4, rules = [] }, server) {
    this.#rules = rules;
    this.#server = server.on("connection", (socket) => this.#connect(socket));
    this.#service = createFakeService({ baseUrl: this.baseUrl, ...optionsOf(partitions) });
  }

  /** @param {Settings} settings */
  static async open(settings) {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Wire(settings, server);
  }

  get baseUrl() {
    const { port } = /** @type {import("node:net").AddressInfo} */ (this.#server.address());
    return `http://127.0.0.1:${port}/cxi/`;
  }

  /** @returns {Sight} */
  look() {
    return { visits: this.#visits, connections: this.#sockets.size };
  }

  /** Releases all held requests. */
  release() {
    for (const goOn of this.#held.splice(0)) goOn();
  }

  /** Refuses new connections. */
  async close() {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** @param {import("node:net").Socket} socket */
  #connect(socket) {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    new Connection(socket, (request) => this.#respond(socket, request));
  }

  /**
   * @param {import("node:net").Socket} socket
   * @param {RequestHead} request
   */
  async #respond(socket, request) {
    if (request.target === fence) {
      socket.write("HTTP/1.1 204 Reached\r\naccess-control-allow-origin: *\r\n\r\n");
      return;
    }
    const visit = this.#note(request);
    const leave = () => {
      if (visit.state === "open") visit.state = "left";
    };
    socket.on("close", leave);
    const manner = this.#mannerFor(visit);
    if (manner.held) await new Promise((resolve) => this.#held.push(() => resolve(undefined)));
    const response = await this.#response(request);
    await deliver(socket, await responseBytes(response, manner), manner, visit);
    if (visit.state !== "open") socket.off("close", leave);
  }

  /** @param {RequestHead} request */
  #note({ method, target, headers }) {
    const path = target.replace(/^\/cxi\//, "");
    const index = readOperation(path)?.partition?.index ?? -1;
    const count = this.#visits.filter((visit) => visit.method === method && visit.path === path).length + 1;
    /** @type {Visit} */
    const visit = { method, path, index, count, headers, sent: 0, stalled: false, state: "open" };
    this.#visits.push(visit);
    return visit;
  }

  /**
   * @param {Visit} visit
   * @returns {Manner}
   */
  #mannerFor(visit) {
    const rule = this.#rules.find(
      ({ method = "GET", index = visit.index, times = Number.POSITIVE_INFINITY }) =>
        method === visit.method && index === visit.index && visit.count <= times,
    );
    return rule?.manner ?? {};
  }

  /**
   * The response of a correct service, with CORS headers for any origin.
   * @param {RequestHead} request
   */
  async #response({ method, target, headers }) {
    const origin = "access-control-allow-origin";
    if (method === "OPTIONS") {
      const allowed = headers["access-control-request-headers"] ?? "";
      const permissions = { "access-control-allow-headers": allowed, "access-control-max-age": "600" };
      return new Response(null, { status: 204, headers: { [origin]: "*", ...permissions } });
    }
    const response = await this.#service.fetch(new URL(target, this.baseUrl), { method });
    response.headers.set(origin, "*");
    return response;
  }
}
