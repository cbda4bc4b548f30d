// The service: how it responds to a request, when, and what it remembers.

import type { Arrival } from "./arrival.js";
import { batchStatus } from "./batch.js";
import { type Endpoint, type FindingsEndpoint, readEndpoint } from "./endpoint.js";
import type { Faults, ReceivedRequest } from "./fake-service.js";
import { type Failure, FaultPlan } from "./fault-plan.js";
import { countsOf, type Inspection } from "./inspection.js";
import type { Settings } from "./options.js";
import { Random } from "./random.js";
import { Responses } from "./response.js";
import { type Behaviour, type KnownRequest, scenarios } from "./scenarios.js";
import type { SessionResponse } from "./sessions.js";
import { wait } from "./wait.js";

/** The behaviour that, with sessions, ends them. */
const expiredToken = scenarios["expired-token"].behaviour;

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
    return new URL(url).origin === new URL(this.#settings.baseUrl).origin;
  }

  /** Switches the scenario or the faults until the service is reset. */
  use({ behaviour, faults = this.#faults }: Partial<Pick<Settings, "behaviour" | "faults">>): void {
    if (behaviour === expiredToken) this.#settings.sessions?.end();
    this.#behaviour = behaviour ?? this.#behaviour;
    this.#faults = faults;
    this.#plan = new FaultPlan(faults);
    this.#counts.clear();
  }

  /** Behaves as in the beginning, and forgets all requests. */
  reset(): void {
    this.use(this.#settings);
    this.#settings.sessions?.end();
    this.requests.length = 0;
  }

  /**
   * Responds to a request for a URL of the service. The timer of its latency is set before this returns, except for a
   * new session, whose body is read first.
   */
  respond(arrival: Arrival): Promise<Response> {
    const { url, method } = arrival;
    const endpoint = readEndpoint(this.#pathOf(url), this.#settings.sessions);
    if (endpoint?.name !== "sessions" || method !== "POST") return this.#respond(arrival, endpoint);
    return arrival.text().then((body) => this.#respond(arrival, endpoint, body));
  }

  #respond(arrival: Arrival, endpoint: Endpoint | undefined, body = ""): Promise<Response> {
    const { url, headers, signal } = arrival;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { latency, response } = this.#decide(arrival, endpoint, body);
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

  #decide({ url, method, headers, signal }: Arrival, endpoint: Endpoint | undefined, body: string): Decision {
    const { bandwidth, slice } = this.#faults;
    const responses = new Responses({ bandwidth, slice }, signal);
    const path = this.#pathOf(url);
    if (endpoint === undefined) {
      return { latency: 0, response: responses.refusal(404, `There is no endpoint ${path}.`) };
    }
    const allow = endpoint.name === "sessions" ? "POST" : "GET";
    if (method !== allow) {
      return { latency: 0, response: responses.refusal(405, `${method} is not possible, only ${allow}.`, { allow }) };
    }
    const { seed, inspection, sessions } = this.#settings;
    const refusal = endpoint.name === "sessions" ? undefined : sessions?.refusalOf(headers);
    if (refusal !== undefined) return { latency: 0, response: responses.refusal(401, refusal) };
    const count = (this.#counts.get(path) ?? 0) + 1;
    this.#counts.set(path, count);
    const { latency, failure } = this.#plan.fateOf(seed, path, count);
    if (endpoint.name === "batch") {
      const hasFailed = this.#behaviour === scenarios["service-errors"].behaviour;
      const status = batchStatus(endpoint, count, hasFailed);
      return { latency, response: failed(failure, responses, () => JSON.stringify(status)) ?? responses.json(status) };
    }
    if (endpoint.name === "sessions") {
      const open = () => endpoint.sessions.open(body);
      const json = ({ status, value }: SessionResponse) => responses.json(value, { status });
      return { latency, response: failed(failure, responses, () => JSON.stringify(open().value)) ?? json(open()) };
    }
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
    const response = failed(failure, responses, () => correctText(request)) ?? this.#response(request);
    return { latency: latency + own, response };
  }

  #response(request: KnownRequest): Decision["response"] {
    const isForSession = this.#settings.sessions !== undefined && this.#behaviour === expiredToken;
    const response = (isForSession ? undefined : this.#behaviour.respond?.(request)) ?? request.correctResponse();
    return response.type === "error" ? "broken" : response;
  }

  /** The path without a query, relative to the base URL if it begins with that. */
  #pathOf(url: string): string {
    const { baseUrl } = this.#settings;
    const path = url.startsWith(baseUrl) ? url.slice(baseUrl.length) : new URL(url).pathname;
    return path.replace(/[?#].*$/, "");
  }
}

const messages: Readonly<Record<Extract<Failure, number>, string>> = {
  429: "Too many requests.",
  500: "The service failed. Try again.",
  502: "The gateway got no response from the service.",
  503: "The service is too busy just now.",
  504: "The service took too long.",
};

/** Returns the response to a request that fails; undefined for one that does not. */
function failed(
  failure: Failure | undefined,
  responses: Responses,
  text: () => string,
): Decision["response"] | undefined {
  if (failure === undefined) return undefined;
  if (failure === "broken" || failure === "silent") return failure;
  if (failure === "malformed") return responses.malformed(firstHalf(text()));
  return responses.refusal(failure, messages[failure], retryAfter(failure));
}

function retryAfter(status: number): Record<string, string> {
  return status === 429 ? { "retry-after": "1" } : {};
}

/** Returns the correct response. */
function correctResponseTo({ partition }: FindingsEndpoint, inspection: Inspection, responses: Responses): Response {
  if (partition === undefined) return responses.json(countsOf(inspection));
  const { kind, index } = partition;
  const of = inspection[kind];
  if (index < 0 || index >= of.partitions) {
    const message = `There is no partition ${index} of ${kind} findings: there are ${of.partitions}, and the first is 0.`;
    return responses.refusal(404, message);
  }
  return responses.response({ content: of.content(index) });
}

/** Returns the text of the correct response. */
function correctText({ kind, partitionIndex, inspection }: KnownRequest): string {
  const partitions = kind === undefined ? undefined : inspection[kind];
  const isThere = partitions !== undefined && partitionIndex !== undefined && partitionIndex < partitions.partitions;
  return isThere ? partitions.content(partitionIndex)() : JSON.stringify(countsOf(inspection));
}

function firstHalf(text: string): string {
  return text.slice(0, text.length >> 1);
}

function checkedLatency(latency: number): number {
  if (typeof latency === "number" && latency >= 0) return latency;
  throw new TypeError(`The scenario's latency must return a number of milliseconds, not ${latency}`);
}

function broken(url: string): TypeError {
  return new TypeError(`Simulated connection failure (\`reset\`): ${url}`);
}
