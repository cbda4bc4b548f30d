/** The service as a function from requests to responses, without a transport. */

import { countsOf, partitionSize } from "./inspection.js";
import { belongsToService, readOperation } from "./operation.js";
import { Random } from "./random.js";
import { json, rawJson, refusal } from "./scenario.js";

/** @typedef {import("./findings.js").FindingKind} FindingKind */
/** @typedef {import("./inspection.js").Inspection} Inspection */
/** @typedef {import("./operation.js").Operation} Operation */
/** @typedef {import("./scenario.js").Scenario} Scenario */

/**
 * The source of the bodies of partitions, as bytes or as streams.
 * @typedef {object} Bodies
 * @property {(inspectionKey: string, kind: FindingKind, partitionIndex: number, count: number) => Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>} body
 */

export class FakeService {
  #root;
  #seed;
  #bodies;
  #scenarioOf;
  /** @type {Map<string, number>} the number of requests for each address */
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
   * Whether the service answers this request.
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

  /** Resets the numbers of requests. */
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
   * The correct response.
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
