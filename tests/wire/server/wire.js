/** The service on the wire: one port of its own for each, the truth of the fake backend, and rules for how it is told. */

import { once } from "node:events";
import { createServer } from "node:net";
import { freePort } from "../../../tools/port.js";
import { Bodies } from "../../fake-backend/bodies.js";
import { readOperation } from "../../fake-backend/operation.js";
import { FakeService } from "../../fake-backend/service.js";
import { inspectionOf, seed } from "../inspection.js";
import { answerBytes } from "./answer.js";
import { Connection } from "./connection.js";
import { deliver } from "./delivery.js";

/** @typedef {import("./connection.js").Asked} Asked */
/** @typedef {import("./manner.js").Manner} Manner */
/** @typedef {import("./manner.js").Rule} Rule */
/** @typedef {import("./manner.js").Settings} Settings */
/** @typedef {import("./manner.js").Visit} Visit */

/**
 * What the service has seen so far.
 * @typedef {object} Sight
 * @property {Visit[]} visits in the order in which they came
 * @property {number} most how many requests were in flight at the same time at most
 * @property {number} connections that are open
 */

export class Wire {
  #rules;
  #service;
  #server = createServer((socket) => this.#connect(socket));
  /** @type {Set<import("node:net").Socket>} */
  #sockets = new Set();
  #connections = 0;
  /** @type {Visit[]} */
  #visits = [];
  #most = 0;
  #port;

  /**
   * @param {Settings} settings
   * @param {number} port that is free
   */
  constructor({ partitions = 4, rules = [] }, port) {
    this.#port = port;
    this.#rules = rules;
    const scenario = { inspection: inspectionOf(partitions) };
    const parts = { baseUrl: new URL(this.baseUrl), seed, bodies: new Bodies(seed), scenarioOf: () => scenario };
    this.#service = new FakeService(parts);
  }

  /** @param {Settings} settings */
  static async open(settings) {
    const wire = new Wire(settings, await freePort());
    wire.#server.listen(wire.#port, "127.0.0.1");
    await once(wire.#server, "listening");
    return wire;
  }

  get baseUrl() {
    return `http://127.0.0.1:${this.#port}/cxi/`;
  }

  /** @returns {Sight} */
  get sight() {
    return { visits: this.#visits, most: this.#most, connections: this.#sockets.size };
  }

  /** Nobody is answered any more: whoever asks from now on is refused the connection. */
  async close() {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    await closed;
  }

  /** @param {import("node:net").Socket} socket */
  #connect(socket) {
    const number = this.#connections++;
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    new Connection(socket, (asked, { requests }) => this.#answer(socket, asked, { number, requests }));
  }

  /**
   * @param {import("node:net").Socket} socket
   * @param {Asked} asked
   * @param {{ number: number, requests: number }} connection
   */
  async #answer(socket, asked, { number, requests }) {
    const visit = this.#note(asked, { connection: number, reused: requests > 1 });
    const leave = () => {
      if (visit.state === "open") {
        visit.state = "left";
      }
    };
    socket.on("close", leave);
    const manner = this.#mannerFor(visit);
    const truth = await this.#truth(asked);
    await deliver(socket, await answerBytes(truth, manner), manner, visit);
    if (visit.state !== "open") {
      socket.off("close", leave);
    }
  }

  /**
   * @param {Asked} asked
   * @param {{ connection: number, reused: boolean }} connection
   */
  #note({ method, target, headers }, connection) {
    const path = target.replace(/^\/cxi\//, "");
    const index = readOperation(path)?.partition?.index ?? -1;
    const count = this.#visits.filter((visit) => visit.method === method && visit.path === path).length + 1;
    /** @type {Visit} */
    const visit = { method, path, index, count, headers, ...connection, sent: 0, state: "open" };
    this.#visits.push(visit);
    this.#most = Math.max(this.#most, this.#visits.filter(({ state }) => state === "open").length);
    return visit;
  }

  /**
   * @param {Visit} visit
   * @returns {Manner}
   */
  #mannerFor(visit) {
    const rule = this.#rules.find(
      ({ method = "GET", index = visit.index, times = Number.POSITIVE_INFINITY, reused = visit.reused }) =>
        method === visit.method && index === visit.index && visit.count <= times && reused === visit.reused,
    );
    return rule?.manner ?? {};
  }

  /**
   * What a service that is well answers, to a page of whatever origin.
   * @param {Asked} asked
   */
  async #truth({ method, target, headers }) {
    const permission = { "access-control-allow-origin": "*" };
    if (method === "OPTIONS") {
      const allowed = headers["access-control-request-headers"] ?? "";
      return new Response(null, {
        status: 204,
        headers: { ...permission, "access-control-allow-headers": allowed, "access-control-max-age": "600" },
      });
    }
    const answer = await this.#service.answer(new Request(new URL(target, this.baseUrl), { method }));
    for (const [name, value] of Object.entries(permission)) {
      answer.headers.set(name, value);
    }
    return answer;
  }
}
