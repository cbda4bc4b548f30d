/** A table that grows while it loads: ten charts of each snapshot, beside the same charts drawn once at the end. */

import { marked, markedNow } from "./marks.js";

/** @typedef {any} Table */

/**
 * The question of each chart.
 * @type {((table: Table) => { key: unknown[], count: number }[])[]}
 */
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

/** The most bars of a chart. */
const maxBars = 12;

/**
 * Loads an inspection between two marks of the trace, with charts of every snapshot. Resolves with when the charts show each partition, in
 * milliseconds since the epoch.
 * @param {number} inspectionKey
 */
export async function loadLive(inspectionKey) {
  /** @type {number[]} */
  let received = [];
  /** @type {{ partition: number, shown: number }[]} */
  const shown = [];
  const charts = makeCharts();
  const client = await workerClient();
  const { result: live } = await marked(async () => {
    const live = client.watchTable(inspectionKey, "sentiment", {
      onPartition({ index, state }) {
        if (state === "received" && index !== null) received.push(index);
      },
    });
    live.subscribe(() => {
      draw(charts, live.getSnapshot().table);
      shown.push(...received.map((partition) => ({ partition, shown: performance.timeOrigin + performance.now() })));
      received = [];
    });
    (await live.done).free();
    while (live.getSnapshot().table.length !== inspectionKey || received.length > 0) {
      await new Promise(requestAnimationFrame);
    }
    return live;
  });
  live.free();
  client.free();
  return shown;
}

/**
 * Loads an inspection between two marks of the trace, with charts of the whole table.
 * @param {number} inspectionKey
 */
export async function loadThenDraw(inspectionKey) {
  const charts = makeCharts();
  const client = await workerClient();
  const { result: table } = await marked(async () => {
    const table = await client.loadTable(inspectionKey, "sentiment");
    draw(charts, table);
    await new Promise(requestAnimationFrame);
    return table;
  });
  table.free();
  client.free();
}

/**
 * The time of all questions at each snapshot, in milliseconds.
 * @param {number} inspectionKey
 */
export async function askSnapshots(inspectionKey) {
  let time = 0;
  await watch(inspectionKey, 1, (live) => {
    const { table } = live.getSnapshot();
    time += markedNow(() => ask(table));
  });
  return time;
}

/**
 * The time of all questions once at the end, in milliseconds.
 * @param {number} inspectionKey
 */
export async function askOnce(inspectionKey) {
  const client = await workerClient();
  const table = await client.loadTable(inspectionKey, "sentiment");
  const time = markedNow(() => ask(table));
  table.free();
  client.free();
  return time;
}

/**
 * The times to take a snapshot while the last partitions arrive, in milliseconds.
 * @param {number} inspectionKey
 * @param {number} from the least number of partitions in a snapshot that is measured
 */
export async function takeSnapshots(inspectionKey, from) {
  /** @type {number[]} */
  const times = [];
  await watch(inspectionKey, from, (live) => times.push(markedNow(() => live.getSnapshot())));
  return times;
}

/**
 * Loads a live table to its end.
 * @param {number} inspectionKey
 * @param {number} from the least number of partitions with which it calls back
 * @param {(live: { getSnapshot: () => { table: Table } }) => void} onPartition
 */
async function watch(inspectionKey, from, onPartition) {
  const client = await workerClient();
  const live = client.watchTable(inspectionKey, "sentiment", {
    onProgress({ partitionsDone }) {
      if (partitionsDone >= from) onPartition(live);
    },
  });
  (await live.done).free();
  live.free();
  client.free();
}

async function workerClient() {
  const { FindingsClient } = await import("inspection-findings");
  return new FindingsClient({ worker: true });
}

/** @param {Table} table */
function ask(table) {
  return questions.map((question) => question(table));
}

/** @param {Table} view */
function lengthOf(view) {
  const { length } = view;
  view.free();
  return [{ key: ["all"], count: length }];
}

/** Creates the charts in the page. */
function makeCharts() {
  const charts = questions.map(() => {
    const chart = document.createElement("ol");
    for (let bar = 0; bar < maxBars; bar++) {
      chart.append(document.createElement("li"));
    }
    return chart;
  });
  document.body.replaceChildren(...charts);
  return charts;
}

/**
 * Draws the charts of a table.
 * @param {HTMLOListElement[]} charts
 * @param {Table} table
 */
function draw(charts, table) {
  for (const [at, groups] of ask(table).entries()) {
    const shown = groups.slice(0, maxBars);
    const largest = Math.max(1, ...shown.map(({ count }) => count));
    for (const [row, bar] of /** @type {HTMLElement[]} */ ([...charts[at].children]).entries()) {
      const group = shown[row];
      bar.textContent = group === undefined ? "" : `${group.key.join(", ")}: ${group.count}`;
      bar.style.width = `${(100 * (group?.count ?? 0)) / largest}%`;
    }
  }
}
