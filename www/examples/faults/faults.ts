/** A page that sets the faults of a fake service, and shows what a call does about them. */

import { FindingsClient, type LiveTable } from "inspection-findings";
import { createFakeService, type FakeService } from "inspection-findings/testing";

/** The settings: their labels, units, greatest values and defaults. */
const settings = {
  latency: ["Latency", " ms", 2000, 50],
  jitter: ["Jitter, at most", " ms", 2000, 200],
  errorRate: ["Responses with status 5xx", " %", 100, 20],
  reset: ["Broken connections", " %", 100, 5],
  malformed: ["Broken JSON", " %", 100, 0],
  rateLimit: ["Requests per second (0: no limit)", "", 100, 0],
  findings: ["Findings", "", 100_000, 10_000],
  partitions: ["Partitions", "", 200, 60],
  retries: ["Retries of the call", "", 8, 3],
  seed: ["Seed", "", 100, 1],
} as const;

type Name = keyof typeof settings;

const byId = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;
const form = byId<HTMLFormElement>("settings");
const stop = byId<HTMLButtonElement>("stop");
const resume = byId<HTMLButtonElement>("resume");
let live: LiveTable | undefined;
let controller = new AbortController();

for (const [name, [label, unit, most, usual]] of Object.entries(settings)) {
  const field = document.createElement("label");
  const input = document.createElement("input");
  const value = document.createElement("span");
  const show = () => {
    value.textContent = `: ${input.value}${unit}`;
  };
  Object.assign(input, { type: "range", name, min: name === "partitions" ? 1 : 0, max: most });
  input.value = new URLSearchParams(location.search).get(name) ?? String(usual);
  input.addEventListener("input", show);
  field.append(label, value, input);
  byId("fields").append(field);
  show();
}

form.addEventListener("change", () => history.replaceState(null, "", `?${new URLSearchParams([...entries()])}`));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  load();
});
stop.addEventListener("click", () => controller.abort());
resume.addEventListener("click", () => {
  live?.resume();
  follow();
});
load();

function entries(): [string, string][] {
  return [...new FormData(form)].map(([name, value]) => [name, String(value)]);
}

let service: FakeService;

async function load() {
  live?.free();
  controller = new AbortController();
  const { errorRate, reset, malformed, rateLimit, latency, jitter, retries, seed, ...size } = Object.fromEntries(
    entries().map(([name, value]) => [name, Number(value)]),
  ) as Record<Name, number>;
  const map = byId("map");
  map.replaceChildren();
  try {
    // The shares may add up to at most 1.
    const whole = Math.max(100, errorRate + reset + malformed);
    const shares = { errorRate: errorRate / whole, reset: reset / whole, malformed: malformed / whole };
    const faults = { latency, jitter, ...shares, ...(rateLimit > 0 ? { rateLimit } : {}) };
    service = createFakeService({ seed, sentiment: size, faults });
    const client = new FindingsClient({ baseUrl: service.baseUrl, fetch: service.fetch, retries });
    live = client.watchTable(42, "sentiment", {
      failurePolicy: "collect",
      signal: controller.signal,
      onProgress: ({ partitions }) => {
        while (map.children.length < partitions) {
          const cell = document.createElement("span");
          cell.className = "cell";
          map.append(cell);
        }
      },
      onPartition: ({ index, state, attempt }) => {
        const cell = map.children[index ?? -1] as HTMLElement | undefined;
        if (cell === undefined) return;
        cell.dataset.state = state;
        cell.title = `Partition ${index}: ${state}, attempt ${attempt}`;
      },
    });
    await follow();
  } catch (error) {
    byId("status").textContent = String(error);
  }
}

/** Shows the snapshots until loading ends. */
async function follow() {
  const mine = live;
  const begun = performance.now();
  stop.disabled = false;
  resume.hidden = true;
  for await (const { state, table, progress, error } of mine ?? []) {
    if (mine !== live) return;
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const text = `${state}: ${table.length} findings, ${progress.retries} retries, ${seconds} s.`;
    byId("status").textContent =
      state === "loading" || error === undefined ? text : `${text} ${(error as Error).message}`;
    resume.hidden = state !== "partial";
    showResponses();
  }
  stop.disabled = true;
}

function showResponses() {
  const rows = Object.entries(Object.groupBy(service.requests, ({ status }) => status)).map(([status, requests]) => {
    const row = document.createElement("tr");
    row.insertCell().textContent = status === "failed" ? "no response" : status;
    row.insertCell().textContent = String(requests?.length);
    return row;
  });
  byId("responses").replaceChildren(...rows);
}
