// The service: how it responds to a request, when, and what it remembers.

import type { Arrival } from "./arrival.js";
import { type Endpoint, readEndpoint } from "./endpoint.js";
import type { Faults, ReceivedRequest } from "./fake-service.js";
import { type Failure, FaultPlan } from "./fault-plan.js";
import { countsOf, type Inspection } from "./inspection.js";
import type { Settings } from "./options.js";
import { Random } from "./random.js";
import { Responses } from "./response.js";
import type { Behaviour, KnownRequest } from "./scenarios.js";
import { wait } from "./wait.js";

/** A request that is being recorded. */
type Recorded = { -readonly [Member in keyof ReceivedRequest]: ReceivedRequest[Member] };

/** How to respond; without a response the connection breaks, or stays silent. */
interface Decision {
  readonly latency: number;
  readonly response: Response | "broken" | "silent";
}

export class Service {
  readonly requests: Recorded[] = [];
  readonly #settings: Settings;
  #behaviour: Behaviour;
  #faults: Faults;
  #plan: FaultPlan;
  /** The number of requests for each path. */
  readonly #counts = new Map<string, number>();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#behaviour = settings.behaviour;
    this.#faults = settings.faults;
    this.#plan = new FaultPlan(settings.faults);
  }

  /** Whether a URL is one of the service. */
  has(url: string): boolean {
    return url.startsWith(this.#settings.baseUrl);
  }

  /** Switches the scenario or the faults until the service is reset. */
  use({ behaviour = this.#behaviour, faults = this.#faults }: Partial<Pick<Settings, "behaviour" | "faults">>): void {
    this.#behaviour = behaviour;
    this.#faults = faults;
    this.#plan = new FaultPlan(faults);
    this.#counts.clear();
  }

  /** Behaves as in the beginning, and forgets all requests. */
  reset(): void {
    this.use(this.#settings);
    this.requests.length = 0;
  }

  /** Responds to a request for a URL of the service. The timer of its latency is set before this returns. */
  respond(arrival: Arrival): Promise<Response> {
    const { url, headers, signal } = arrival;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { latency, response } = this.#decide(arrival);
    const status = typeof response === "string" ? "failed" : response.status;
    const recorded: Recorded = { url, headers, status };
    this.requests.push(recorded);
    return new Promise((resolve, reject) => {
      const ended = () => (response === "broken" ? reject(broken(url)) : resolve(response as Response));
      const aborted = (reason: unknown) => {
        recorded.status = "failed";
        reject(reason);
      };
      const duration = response === "silent" ? Number.POSITIVE_INFINITY : latency;
      if (duration > 0) wait(duration, signal, { ended, aborted });
      else ended();
    });
  }

  #decide({ url, method, headers, signal }: Arrival): Decision {
    const { bandwidth, slice } = this.#faults;
    const responses = new Responses({ bandwidth, slice }, signal);
    const path = this.#pathOf(url);
    const endpoint = readEndpoint(path);
    if (endpoint === undefined) {
      return { latency: 0, response: responses.refusal(404, `There is no endpoint ${path}.`) };
    }
    if (method !== "GET") {
      const response = responses.refusal(405, `${method} is not possible, only GET.`, { allow: "GET" });
      return { latency: 0, response };
    }
    const count = (this.#counts.get(path) ?? 0) + 1;
    this.#counts.set(path, count);
    const { seed, inspection } = this.#settings;
    const { latency, failure } = this.#plan.fateOf(seed, path, count);
    const random = new Random(seed, path, count);
    const request: KnownRequest = {
      url,
      headers,
      inspectionKey: endpoint.inspectionKey,
      kind: endpoint.partition?.kind,
      partitionIndex: endpoint.partition?.index,
      count,
      random: () => random.next(),
      correctResponse: () => correctResponseTo(endpoint, inspection, responses),
      inspection,
      responses,
    };
    const own = checkedLatency(this.#behaviour.latency?.(request) ?? 0);
    return { latency: latency + own, response: this.#response(request, failure) };
  }

  #response(request: KnownRequest, failure: Failure | undefined): Decision["response"] {
    if (failure === "broken" || failure === "silent") return failure;
    if (failure === "malformed") return cutShort(request);
    if (failure !== undefined) return request.responses.refusal(failure, messages[failure], retryAfter(failure));
    const response = this.#behaviour.respond?.(request) ?? request.correctResponse();
    return response.type === "error" ? "broken" : response;
  }

  /** The path relative to the base URL, without a query. */
  #pathOf(url: string): string {
    return url.slice(this.#settings.baseUrl.length).replace(/[?#].*$/, "");
  }
}

const messages: Readonly<Record<Extract<Failure, number>, string>> = {
  429: "Too many requests.",
  500: "The service failed. Try again.",
  502: "The gateway got no response from the service.",
  503: "The service is too busy just now.",
  504: "The service took too long.",
};

function retryAfter(status: number): Record<string, string> {
  return status === 429 ? { "retry-after": "1" } : {};
}

/** Returns the correct response. */
function correctResponseTo({ partition }: Endpoint, inspection: Inspection, responses: Responses): Response {
  if (partition === undefined) return responses.json(countsOf(inspection));
  const { kind, index } = partition;
  const of = inspection[kind];
  if (index < 0 || index >= of.partitions) {
    const message = `There is no partition ${index} of ${kind} findings: there are ${of.partitions}, and the first is 0.`;
    return responses.refusal(404, message);
  }
  return responses.response({ content: of.content(index) });
}

/** Returns the first half of the correct response. */
function cutShort({ kind, partitionIndex, inspection, responses }: KnownRequest): Response {
  const partitions = kind === undefined ? undefined : inspection[kind];
  const isThere = partitions !== undefined && partitionIndex !== undefined && partitionIndex < partitions.partitions;
  const text = () => (isThere ? partitions.content(partitionIndex).text() : JSON.stringify(countsOf(inspection)));
  return responses.response({
    content: {
      text() {
        const whole = text();
        return whole.slice(0, whole.length >> 1);
      },
    },
  });
}

function checkedLatency(latency: number): number {
  if (typeof latency === "number" && latency >= 0) return latency;
  throw new TypeError(`The scenario's latency must return a number of milliseconds, not ${latency}`);
}

function broken(url: string): TypeError {
  return new TypeError(`Simulated connection failure (\`reset\`): ${url}`);
}
