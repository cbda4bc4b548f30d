/** The worker of the built-in service: responds to the requests that the page passes on, and posts bodies as blobs, which are not copied. */

import {
  createFakeService,
  type FakeRequest,
  type FakeService,
  type FakeServiceOptions,
} from "inspection-findings/testing";
import { type ScenarioId, scenarios } from "./scenarios.js";
import { storyPartition } from "./story.js";

export type Message =
  | { service: number; scenario: ScenarioId; baseUrl: string }
  | { service: number; isExpired: true }
  | { service: number; request: number; href: string; headers: [string, string][] }
  | { abort: number };

export interface Reply {
  id: number;
  response?: { status: number; headers: [string, string][]; body: Blob };
  /** Why there is no response. */
  error?: string;
}

class Running {
  isExpired = false;
  readonly #fake: FakeService;
  /** The milliseconds between two responses, and when the last one is due. */
  readonly #pace: number;
  #due = 0;

  constructor(scenario: ScenarioId, baseUrl: string) {
    const { pace = 0, isExpired = false } = scenarios[scenario];
    this.#fake = createFakeService({ ...optionsOf(scenario, () => this.isExpired), baseUrl });
    this.#pace = pace;
    this.isExpired = isExpired;
  }

  async fetch(href: string, init: RequestInit): Promise<Response> {
    if (this.#pace > 0) {
      this.#due = Math.max(performance.now(), this.#due) + this.#pace;
      await new Promise((resolve) => setTimeout(resolve, this.#due - performance.now()));
    }
    return this.#fake.fetch(href, init);
  }
}

const services = new Map<number, Running>();
const requests = new Map<number, AbortController>();

addEventListener("message", ({ data }: MessageEvent<Message>) => {
  if ("abort" in data) requests.get(data.abort)?.abort();
  else if ("request" in data) respond(data);
  else if ("scenario" in data) services.set(data.service, new Running(data.scenario, data.baseUrl));
  else (services.get(data.service) as Running).isExpired = true;
});

async function respond(message: Extract<Message, { request: number }>): Promise<void> {
  const { service, request: id, href, headers } = message;
  const controller = new AbortController();
  requests.set(id, controller);
  try {
    const response = await (services.get(service) as Running).fetch(href, { headers, signal: controller.signal });
    const body = await response.blob();
    postMessage({ id, response: { status: response.status, headers: [...response.headers], body } } satisfies Reply);
  } catch (error) {
    postMessage({ id, error: String(error) } satisfies Reply);
  }
  requests.delete(id);
}

function optionsOf(id: ScenarioId, isExpired: () => boolean): FakeServiceOptions {
  const { size, scenario, latency = 0 } = scenarios[id];
  if (size === undefined) return { scenario };
  if (scenario !== undefined) {
    const partitions = (kind: "sentiment" | "topics") =>
      Array.from({ length: size.partitions }, (_, index) => storyPartition(kind, index, size));
    return { scenario, sentiment: partitions("sentiment"), topics: partitions("topics") };
  }
  // Makes a partition when it is requested.
  const respond = ({ kind, partitionIndex = 0, headers }: FakeRequest) => {
    if (kind === undefined) return undefined;
    if (isExpired() && headers.get("authorization") === "token-1") {
      return Response.json({ errors: ["The token has expired."] }, { status: 401 });
    }
    return Response.json({ Findings: storyPartition(kind, partitionIndex, size), errors: null });
  };
  return { sentiment: size, topics: size, scenario: { respond }, faults: { latency } };
}
