// The types of the fake service.

import type { Headers, Request, RequestInit, Response, URL } from "../../core/host/platform.js";
import type { FindingKind, InspectionFinding } from "../../core/table/finding.js";

/** The numbers of invented findings of one kind. */
export interface FindingsSize {
  /** The number of findings. */
  readonly findings: number;
  /** The number of partitions. Their sizes differ by at most one; a partition has at most 1 000 000 findings. */
  readonly partitions: number;
}

/**
 * The name of a scenario. The sizes apply unless you pass findings or sizes.
 *
 * | name | sentiment findings, in partitions | topic findings, in partitions | behaviour |
 * |---|---|---|---|
 * | `small` | 250 in 3 | 310 in 4 | |
 * | `large` | 100 000 in 50 | 120 000 in 60 | |
 * | `empty` | 0 in 0 | 0 in 0 | |
 * | `slow` | 2 400 in 24 | 1 800 in 18 | every response takes 700 ms |
 * | `jittered` | 6 000 in 30 | 8 000 in 40 | responses take 10 to 500 ms, so they overtake each other |
 * | `flaky` | 1 200 in 6 | 1 600 in 8 | each URL responds with 500 once, then correctly |
 * | `rate-limited` | 800 in 4 | 1 000 in 5 | each URL responds with 429 and `Retry-After: 1` once, then correctly |
 * | `service-errors` | 400 in 4 | 500 in 5 | partition 1 has `errors` with status 200 |
 * | `wrong-total` | 300 in 3 | 400 in 4 | the totals are one too high |
 * | `broken-json` | 400 in 4 | 500 in 5 | the JSON of partition 1 ends too early |
 * | `expired-token` | 900 in 6 | 1 050 in 7 | 401 until `Authorization` or `authentication` has the token `renewed-token`; with `sessions`, that of a new session |
 * | `unknown-inspection` | 0 in 0 | 0 in 0 | 404 with `errors` |
 */
export type ScenarioName =
  | "small"
  | "large"
  | "empty"
  | "slow"
  | "jittered"
  | "flaky"
  | "rate-limited"
  | "service-errors"
  | "wrong-total"
  | "broken-json"
  | "expired-token"
  | "unknown-inspection";

/** A request to one of the service's endpoints. */
export interface FakeRequest {
  /** The URL of the request. */
  readonly url: string;
  /** The headers of the request. */
  readonly headers: Headers;
  /** The inspection in the URL. */
  readonly inspectionKey: string;
  /** The kind of the partition; undefined for the counts. */
  readonly kind: FindingKind | undefined;
  /** The index of the partition; undefined for the counts. */
  readonly partitionIndex: number | undefined;
  /** The number of requests for this URL so far, including this one. `use()` and `reset()` restart it at 0. */
  readonly count: number;
  /** Returns a number from 0 up to, but not including, 1. It depends only on the seed, the URL and `count`. */
  random(): number;
  /** Returns the correct response. */
  correctResponse(): Response;
}

/**
 * Your own scenario.
 *
 * @example
 * const service = createFakeService({
 *   scenario: {
 *     latency: ({ random }) => 100 * random(),
 *     respond: ({ partitionIndex }) => (partitionIndex === 2 ? new Response(null, { status: 503 }) : undefined),
 *   },
 * });
 */
export interface Scenario {
  /** Returns the milliseconds before the response. Default: none. */
  readonly latency?: ((request: FakeRequest) => number) | undefined;
  /** Returns the response; undefined for the correct one, and `Response.error()` for a broken connection. */
  readonly respond?: ((request: FakeRequest) => Response | undefined) | undefined;
}

/**
 * Faults of the service and of the network. They change responses, never the findings. Which requests fail depends on
 * the seed, the URL and the number of requests for it; only `rateLimit` and `bandwidth` use the clock.
 *
 * The four shares are exclusive, and add up to at most 1.
 */
export interface Faults {
  /** The milliseconds before each response. */
  readonly latency?: number | undefined;
  /** The maximum number of milliseconds that is added to the latency at random. */
  readonly jitter?: number | undefined;
  /** The share of the requests that get status 500, 502, 503 or 504. */
  readonly errorRate?: number | undefined;
  /** The share of the requests whose connection breaks. */
  readonly reset?: number | undefined;
  /** The share of the requests that never get a response. */
  readonly stall?: number | undefined;
  /** The share of the requests whose JSON ends too early. */
  readonly malformed?: number | undefined;
  /** The requests in a second that get a response; others get status 429 with `Retry-After: 1`. */
  readonly rateLimit?: number | undefined;
  /** The bytes of a body that arrive in a second. */
  readonly bandwidth?: number | undefined;
  /** The bytes in each piece of a body. */
  readonly slice?: number | undefined;
  /** Whether each URL fails at most once. Default: false. */
  readonly once?: boolean | undefined;
}

/** The credentials that {@link FakeServiceOptions.sessions} accepts. */
export interface SessionCredentials {
  readonly account: string;
  readonly userName: string;
  readonly password: string;
}

/** Options of a fake service; all are optional. */
export interface FakeServiceOptions {
  /** The seed of the findings, the latencies and the failures: the same seed gives the same bytes. Default: 1. */
  readonly seed?: number | undefined;
  /** The sentiment findings: how many to invent, or the findings of each partition. Default: the size of the scenario. */
  readonly sentiment?: FindingsSize | readonly (readonly object[])[] | undefined;
  /** The topic findings: how many to invent, or the findings of each partition. Default: the size of the scenario. */
  readonly topics?: FindingsSize | readonly (readonly object[])[] | undefined;
  /** The scenario for every inspection key. Default: `"small"`. */
  readonly scenario?: ScenarioName | Scenario | undefined;
  /** Faults in addition to the scenario. Default: none. */
  readonly faults?: Faults | undefined;
  /** The URL of the service; a missing slash at its end is added. Default: `"https://findings.test/"`. */
  readonly baseUrl?: string | URL | undefined;
  /**
   * Whether requests need a token, as those to the real service do. If so, `POST Sessions` issues an `authenticationToken`
   * and a `bearerToken`, `GET Batches/{InspectionKey}/{BatchKey}` responds with the status of a batch, and requests
   * without a valid token get 401. Pass credentials to accept no others. `reset()` ends all sessions. Default: false.
   *
   * @example
   * const { baseUrl, fetch } = createFakeService({ sessions: true });
   * const body = JSON.stringify({ account: "Acme", userName: "admin", password: "any" });
   * const { bearerToken } = await (await fetch(`${baseUrl}Sessions`, { method: "POST", body })).json();
   * const client = new FindingsClient({ baseUrl, fetch, headers: { Authorization: bearerToken } });
   * console.log(await client.getPartitionCounts(42));
   */
  readonly sessions?: boolean | SessionCredentials | undefined;
}

/** A request that the service has received. */
export interface ReceivedRequest {
  /** The URL. */
  readonly url: string;
  /** The headers. */
  readonly headers: Headers;
  /** The status of the response; `"failed"` if there is none: the connection broke or stalled, or the caller aborted the request. */
  readonly status: number | "failed";
}

/**
 * A service in memory, made by {@link createFakeService}. Methods are bound: you can pass `service.fetch` around.
 *
 * @example
 * const service = createFakeService();
 * const client = new FindingsClient({ baseUrl: service.baseUrl, fetch: service.fetch });
 * console.log((await client.getFindings(42, "topics")).length, service.findings("topics").length);
 */
export interface FakeService {
  /** The URL of the service, with a slash at its end. */
  readonly baseUrl: string;
  /** The requests so far, in the order in which they arrived. */
  readonly requests: readonly ReceivedRequest[];
  /**
   * Responds to a request like the service, without a network. Rejects with a `TypeError` if the URL does not begin
   * with `baseUrl` or if the connection breaks, and with the reason of an aborted signal.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Returns what `getFindings` has to return: new objects at each call. */
  findings(kind: FindingKind): InspectionFinding[];
  /**
   * Switches scenario or faults until `reset()`. A scenario replaces only the scenario, faults only the faults. `count`
   * restarts at 0. The findings stay the same, so a scenario that differs only in size, such as `"large"`, behaves like
   * `"small"`.
   *
   * @example
   * const service = createFakeService({ sentiment: { findings: 900, partitions: 9 } });
   * service.use("flaky");
   * service.use({ latency: 50, jitter: 20 });
   */
  use(behaviour: ScenarioName | Scenario | Faults): void;
  /** Restores the scenario and the faults of the options, and empties `requests`. `count` restarts at 0. */
  reset(): void;
}
