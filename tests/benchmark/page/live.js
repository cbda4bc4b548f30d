/** A table that grows while it loads: ten charts of each snapshot, beside the same charts drawn once at the end. */

import { marked } from "./marks.js";

/** @typedef {any} Table */

/** The question of each chart. @type {((table: Table) => { key: unknown[], count: number }[])[]} */
const questions = [
  (table) => table.countBy("Sentiment"),
  (table) => table.countBy("TopicGroup"),
  (table) => table.countBy("ExpressionGroup"),
  (table) => table.countBy("Topic.Text", "Sentiment"),
  (table) => table.countBy("TopicGroup", "Sentiment"),
  (table) => table.countBy("VariableKey"),
  (table) => table.summarize(["TopicGroup"], "Sentiment"),
  (table) => table.summarize(["VariableKey"], "Sentiment"),
  (table) => lengthOf(table.filter({ Sentiment: { max: -1 } })),
  (table) => lengthOf(table.filter({ Comment: { contains: "breakfast" } })),
];

/** The bars of a chart. */
const bars = Array.from({ length: 12 }, (_, at) => at);

/**
 * Loads an inspection between two marks of the trace, with charts of every snapshot, or of the whole table. Resolves with when live charts show
 * each partition, in milliseconds since the epoch.
 * @param {number} inspectionKey
 * @param {boolean} isLive
 */
export async function loadCharts(inspectionKey, isLive) {
  /** @type {number[]} */
  let received = [];
  /** @type {{ partition: number, shown: number }[]} */
  const shown = [];
  document.body.replaceChildren(...questions.map(() => document.createElement("ol")));
  for (const chart of document.body.children) chart.append(...bars.map(() => document.createElement("li")));
  const client = await workerClient();
  await marked(async () => {
    if (!isLive) {
      draw(await client.loadTable(inspectionKey, "sentiment"));
      await new Promise(requestAnimationFrame);
      return;
    }
    const live = client.watchTable(inspectionKey, "sentiment", {
      onPartition({ index, state }) {
        if (state === "received" && index !== null) received.push(index);
      },
    });
    live.subscribe(() => {
      draw(live.getSnapshot().table);
      shown.push(...received.map((partition) => ({ partition, shown: performance.timeOrigin + performance.now() })));
      received = [];
    });
    await live.done;
    while (live.getSnapshot().table.length !== inspectionKey || received.length > 0) {
      await new Promise(requestAnimationFrame);
    }
  });
  return shown;
}

/**
 * The times to take a snapshot while the last partitions arrive, in milliseconds.
 * @param {number} inspectionKey
 * @param {number} from the least number of partitions in a snapshot that is measured
 */
export async function takeSnapshots(inspectionKey, from) {
  /** @type {number[]} */
  const times = [];
  const live = (await workerClient()).watchTable(inspectionKey, "sentiment", {
    onProgress({ partitionsDone }) {
      if (partitionsDone < from) return;
      const begin = performance.now();
      live.getSnapshot();
      times.push(performance.now() - begin);
    },
  });
  await live.done;
  return times;
}

async function workerClient() {
  const { FindingsClient } = await import("inspection-findings");
  return new FindingsClient({ worker: true });
}

/** @param {Table} view */
function lengthOf(view) {
  const { length } = view;
  view.free();
  return [{ key: ["all"], count: length }];
}

/** @param {Table} table */
function draw(table) {
  for (const [at, question] of questions.entries()) {
    const groups = question(table);
    const largest = Math.max(1, ...groups.slice(0, bars.length).map(({ count }) => count));
    for (const row of bars) {
      const bar = /** @type {HTMLElement} */ (document.body.children[at].children[row]);
      const { key, count } = groups[row] ?? { key: [], count: 0 };
      bar.textContent = count === 0 ? "" : `${key.join(", ")}: ${count}`;
      bar.style.width = `${(100 * count) / largest}%`;
    }
  }
}
