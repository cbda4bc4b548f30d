/** The service itself: a request in, a response out, and nothing of how the two travel. */

import { countsOf, partitionSize } from "./inspection.js";
import { belongsToService, readOperation } from "./operation.js";
import { Random } from "./random.js";
import { json, rawJson, refusal } from "./scenario.js";

/** @typedef {import("./findings.js").FindingKind} FindingKind */
/** @typedef {import("./inspection.js").Inspection} Inspection */
/** @typedef {import("./operation.js").Operation} Operation */
/** @typedef {import("./scenario.js").Scenario} Scenario */

/**
 * Where the bodies of partitions come from: from here, or as streams from elsewhere.
 * @typedef {object} Bodies
 * @property {(inspectionKey: string, kind: FindingKind, partitionIndex: number, count: number) => Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>} body
 */

export class FakeService {
  #root;
  #seed;
  #bodies;
  #scenarioOf;
  /** @type {Map<string, number>} how often each address was asked for */
  #visits = new Map();

  /**
   * @param {object} parts
   * @param {URL} parts.baseUrl
   * @param {number} parts.seed
   * @param {Bodies} parts.bodies
   * @param {(inspectionKey: string) => Scenario} parts.scenarioOf
   */
  constructor({ baseUrl, seed, bodies, scenarioOf }) {
    this.#root = baseUrl.origin + baseUrl.pathname.replace(/[^/]*$/, "");
    this.#seed = seed;
    this.#bodies = bodies;
    this.#scenarioOf = scenarioOf;
  }

  /**
   * Whether the request is this service's to answer.
   * @param {Request} request
   */
  isAsked({ url }) {
    const path = this.#path(url);
    return path !== undefined && belongsToService(path);
  }

  /**
   * @param {Request} request
   * @returns {Promise<Response>}
   */
  async answer({ method, url, headers }) {
    const path = this.#path(url) ?? "";
    const operation = readOperation(path);
    if (operation === undefined) {
      return refusal(404, `There is no operation ${path}.`);
    }
    if (method !== "GET") {
      return refusal(405, `${method} is not possible, only GET.`, { allow: "GET" });
    }
    const { inspection, latency, answer } = this.#scenarioOf(operation.inspectionKey);
    if (inspection === undefined) {
      return refusal(404, `There is no inspection ${operation.inspectionKey}.`);
    }
    const count = this.#visit(path);
    const truth = () => this.#truth(operation, inspection);
    const visit = { operation, headers, count, inspection, random: new Random(this.#seed, path, count), truth };
    await pause(latency?.(visit) ?? 0);
    return answer?.(visit) ?? truth();
  }

  /** Forgets who has asked for what: as if the service had just started. */
  reset() {
    this.#visits.clear();
  }

  /**
   * The path relative to the base URL, without a query.
   * @param {string} href
   */
  #path(href) {
    const { origin, pathname } = new URL(href);
    return (origin + pathname).startsWith(this.#root) ? (origin + pathname).slice(this.#root.length) : undefined;
  }

  /** @param {string} path */
  #visit(path) {
    const count = (this.#visits.get(path) ?? 0) + 1;
    this.#visits.set(path, count);
    return count;
  }

  /**
   * What a service that is well would answer.
   * @param {Operation} operation
   * @param {Inspection} inspection
   */
  #truth({ inspectionKey, partition }, inspection) {
    if (partition === undefined) {
      return json(countsOf(inspection));
    }
    const { kind, index } = partition;
    const extent = inspection[kind];
    if (index < 0 || index >= extent.partitions) {
      return refusal(
        404,
        `There is no partition ${index} of ${kind} findings: there are ${extent.partitions}, and the first is 0.`,
      );
    }
    return rawJson(this.#bodies.body(inspectionKey, kind, index, partitionSize(extent, index)));
  }
}

/** @param {number} milliseconds */
async function pause(milliseconds) {
  if (milliseconds > 0) {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }
}
