/** A page that queries findings by SQL, with DuckDB-Wasm. */

import { AsyncDuckDB, type AsyncDuckDBConnection, VoidLogger } from "@duckdb/duckdb-wasm";
import script from "@duckdb/duckdb-wasm/dist/duckdb-browser-eh.worker.js?url";
import module from "@duckdb/duckdb-wasm/dist/duckdb-eh.wasm?url";
import { FindingsClient } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { createFakeService } from "inspection-findings/testing";

/** The most rows that are shown. */
const maxRows = 200;

// The fake service stands in for the real API. For your own service, pass its URL and your token.
const { baseUrl, fetch: fakeFetch } = createFakeService({ scenario: "jittered" });
const client = new FindingsClient({ baseUrl, fetch: fakeFetch });
const table = client.loadTable(42, "sentiment");

const [query, run, stop, status, rows] = ["query", "run", "stop", "status", "rows"].map((id) =>
  document.getElementById(id),
) as [HTMLTextAreaElement, HTMLButtonElement, HTMLButtonElement, HTMLOutputElement, HTMLElement];
// The keyboard scrolls the rows.
rows.tabIndex = 0;
let worker: Worker;
let connection: AsyncDuckDBConnection;

run.addEventListener("click", ask);
query.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !run.disabled) ask();
});
stop.addEventListener("click", () => {
  // DuckDB cannot interrupt a query that runs, but its worker can be ended.
  worker.terminate();
  show("Stopped.");
  start();
});
start();

/** Starts DuckDB with the findings. */
async function start() {
  setRunning(true);
  try {
    worker = new Worker(script);
    const database = new AsyncDuckDB(new VoidLogger(), worker);
    // The page loads the module, because the worker does not report a module that it cannot load.
    const response = await fetch(module);
    if (!response.ok) throw new Error(`DuckDB could not be loaded: the status is ${response.status}.`);
    const bytes = new Blob([await response.arrayBuffer()], { type: "application/wasm" });
    await database.instantiate(URL.createObjectURL(bytes));
    await database.open({});
    connection = await database.connect();
    // The page's content security policy does not apply in the worker.
    await connection.query("SET enable_external_access = false; SET lock_configuration = true");
    await connection.insertArrowFromIPCStream(toArrowIPC(await table), { name: "findings" });
    show(`DuckDB has ${(await table).length} findings.`);
    setRunning(false);
    stop.disabled = true;
  } catch (error) {
    show(messageOf(error), true);
  }
}

async function ask() {
  const mine = worker;
  setRunning(true);
  show("Running …");
  const begun = performance.now();
  try {
    const length = await showRows(query.value);
    if (mine !== worker) return;
    show(
      `${length} rows, ${Math.round(performance.now() - begun)} ms${length > maxRows ? `; the first ${maxRows}` : ""}`,
    );
  } catch (error) {
    rows.replaceChildren();
    show(messageOf(error), true);
  }
  setRunning(false);
}

/** Shows the first rows of a query, and returns the number of all rows. */
async function showRows(sql: string): Promise<number> {
  // DuckDB casts the values to text, because JavaScript cannot represent every type of SQL. The newlines end comments.
  const asText = `SELECT COLUMNS(*)::VARCHAR FROM (\n${sql.replace(/[;\s]+$/, "")}\n)`;
  const sent = await connection.send(asText, true).catch(() => connection.send(sql, true));
  const reader = await sent.open();
  const { fields } = reader.schema;
  const inexact = fields.find(({ type }) => !/^(Utf8|Bool|U?int\d+)$/i.test(String(type)));
  if (inexact) throw new Error(`Only a single query can show the column ${inexact.name}. The statements have run.`);
  const body = document.createElement("tbody");
  let length = 0;
  // Batch by batch: a large result is never in the page as a whole.
  for await (const batch of reader) {
    for (let row = 0; row < batch.numRows && length + row < maxRows; row++) {
      const values = fields.map((_, column) => batch.getChildAt(column)?.get(row));
      body
        .insertRow()
        .append(...values.map((value) => cell("td", value === null ? "NULL" : String(value), value === null)));
    }
    length += batch.numRows;
  }
  const head = document.createElement("thead");
  head.insertRow().append(...fields.map(({ name }) => cell("th", name)));
  const shown = document.createElement("table");
  shown.append(head, body);
  rows.replaceChildren(shown);
  return length;
}

function cell(name: "td" | "th", text: string, isNull = false): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  element.dir = "auto";
  if (isNull) element.className = "null";
  return element;
}

function setRunning(isRunning: boolean) {
  run.disabled = isRunning;
  stop.disabled = !isRunning;
}

function show(text: string, isFailure = false) {
  status.textContent = text;
  status.classList.toggle("failed", isFailure);
}

/** The message of an error. DuckDB reports those of its parser as JSON. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.startsWith("{") ? JSON.parse(message).exception_message : message;
}
