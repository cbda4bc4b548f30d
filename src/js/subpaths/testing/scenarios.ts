// The named scenarios: the size of an inspection, and the behaviour of the service.

import type { FindingKind } from "../../core/table/finding.js";
import type { FakeRequest, FindingsSize, Scenario, ScenarioName } from "./fake-service.js";
import { countsOf, type Inspection } from "./inspection.js";
import type { Responses } from "./response.js";

/** A request, and what a named scenario needs to respond to it. */
export interface KnownRequest extends FakeRequest {
  readonly inspection: Inspection;
  readonly responses: Responses;
}

/** The behaviour of a service: one of the named, or the caller's own. */
export interface Behaviour extends Pick<Scenario, "latency"> {
  readonly respond?: ((request: KnownRequest) => Response | undefined) | undefined;
}

interface NamedScenario {
  readonly sizes: Readonly<Record<FindingKind, FindingsSize>>;
  readonly behaviour?: Behaviour;
}

/** The token that the scenario `expired-token` accepts. */
const validToken = "renewed-token";

export const scenarios: Readonly<Record<ScenarioName, NamedScenario>> = {
  small: { sizes: sizes([250, 3], [310, 4]) },
  large: { sizes: sizes([100_000, 50], [120_000, 60]) },
  empty: { sizes: sizes([0, 0], [0, 0]) },
  slow: { sizes: sizes([2_400, 24], [1_800, 18]), behaviour: { latency: () => 700 } },
  jittered: {
    sizes: sizes([6_000, 30], [8_000, 40]),
    behaviour: { latency: ({ random }) => 10 + Math.floor(random() * 491) },
  },
  flaky: {
    sizes: sizes([1_200, 6], [1_600, 8]),
    behaviour: {
      respond: ({ count, responses }) =>
        count === 1 ? responses.refusal(500, "The service failed. Try again.") : undefined,
    },
  },
  "rate-limited": {
    sizes: sizes([800, 4], [1_000, 5]),
    behaviour: {
      respond: ({ count, responses }) =>
        count === 1 ? responses.refusal(429, "Too many requests.", { "retry-after": "1" }) : undefined,
    },
  },
  "service-errors": {
    sizes: sizes([400, 4], [500, 5]),
    behaviour: {
      respond: ({ partitionIndex, responses }) =>
        partitionIndex === 1
          ? responses.json({
              Findings: [],
              errors: ["The analysis of this partition has failed.", "Start the analysis again."],
            })
          : undefined,
    },
  },
  "wrong-total": {
    sizes: sizes([300, 3], [400, 4]),
    behaviour: {
      respond: ({ kind, inspection, responses }) =>
        kind === undefined ? responses.json(oneTooMany(inspection)) : undefined,
    },
  },
  "broken-json": {
    sizes: sizes([400, 4], [500, 5]),
    behaviour: {
      respond: ({ partitionIndex, responses }) =>
        partitionIndex === 1 ? responses.malformed('{"Findings":[{"VariableKey":7001,"RespondentKey":500') : undefined,
    },
  },
  "expired-token": {
    sizes: sizes([900, 6], [1_050, 7]),
    behaviour: {
      respond: ({ headers, responses }) =>
        tokenOf(headers) === validToken ? undefined : responses.refusal(401, "The token has expired."),
    },
  },
  "unknown-inspection": {
    sizes: sizes([0, 0], [0, 0]),
    behaviour: {
      respond: ({ inspectionKey, responses }) => responses.refusal(404, `There is no inspection ${inspectionKey}.`),
    },
  },
};

type Numbers = readonly [findings: number, partitions: number];

function sizes([findings, partitions]: Numbers, [topicFindings, topicPartitions]: Numbers) {
  return { sentiment: { findings, partitions }, topics: { findings: topicFindings, partitions: topicPartitions } };
}

function oneTooMany(inspection: Inspection) {
  const counts = countsOf(inspection);
  return { ...counts, TopicFindings: counts.TopicFindings + 1, SentimentFindings: counts.SentimentFindings + 1 };
}

function tokenOf(headers: Headers): string | undefined {
  return headers.get("authentication") ?? headers.get("authorization")?.replace(/^bearer /i, "");
}
