/** DuckDB in a worker, without a way to the network or to files. Loaded late, because its module has some tens of megabytes. */

import { AsyncDuckDB, type AsyncDuckDBConnection, VoidLogger } from "@duckdb/duckdb-wasm";
import script from "@duckdb/duckdb-wasm/dist/duckdb-browser-eh.worker.js?url";
import module from "@duckdb/duckdb-wasm/dist/duckdb-eh.wasm?url";
import { cellText } from "./cell-text.js";

/** The beginning of the result of a query, as text. */
export interface QueryResult {
  columns: readonly { name: string; isNumber: boolean }[];
  /** The first rows. A cell is null where SQL has NULL. */
  rows: readonly (readonly (string | null)[])[];
  /** The number of all rows. */
  length: number;
}

/**
 * The policy of the page does not apply inside a worker whose script is a file. So DuckDB itself must not open files or addresses, nor
 * load extensions, and no query may allow it again.
 */
const lock = `
  SET autoinstall_known_extensions = false;
  SET autoload_known_extensions = false;
  SET enable_external_access = false;
  SET lock_configuration = true;
`;

/** The names of Arrow's types of numbers. */
const numbers = /^(?:Uint|Int|Float|Decimal)\d/;

export class Database {
  /** Rejects when the worker has failed or was ended. DuckDB's own promises stay pending then. */
  readonly failure: Promise<never>;
  #connection: AsyncDuckDBConnection;

  private constructor(connection: AsyncDuckDBConnection, failure: Promise<never>) {
    this.#connection = connection;
    this.failure = failure;
  }

  /** Starts the worker, which ends when the signal is aborted, whatever it does. All work rejects with the signal's reason then. */
  static async start(signal: AbortSignal): Promise<Database> {
    signal.throwIfAborted();
    const worker = new Worker(script, { name: "duckdb" });
    const failure = failureOf(worker, signal);
    try {
      const connection = await Promise.race([failure, connectionTo(worker, signal)]);
      return new Database(connection, failure);
    } catch (error) {
      worker.terminate();
      throw error;
    }
  }

  /** Makes a table of an Arrow stream, whose buffer is transferred. It replaces the table with that name. */
  async insert(name: string, stream: Uint8Array): Promise<void> {
    await this.drop(name);
    await this.#unlessItFails(this.#connection.insertArrowFromIPCStream(stream, { name, create: true }));
  }

  async drop(name: string): Promise<void> {
    await this.#unlessItFails(this.#connection.query(`DROP TABLE IF EXISTS "${name}"`));
  }

  /** Runs statements, and resolves with the first rows of the result of the last one. */
  async query(sql: string, maxRows: number): Promise<QueryResult> {
    try {
      return await this.#unlessItFails(this.#query(sql, maxRows));
    } catch (error) {
      throw error instanceof Error ? new Error(wordsOf(error.message), { cause: error }) : error;
    }
  }

  async #query(sql: string, maxRows: number): Promise<QueryResult> {
    // Reads batch by batch: a large result is never in the page as a whole.
    const reader = await (await this.#connection.send(sql, true)).open();
    const { fields } = reader.schema;
    const rows: (string | null)[][] = [];
    let length = 0;
    for await (const batch of reader) {
      const some = Math.min(batch.numRows, maxRows - rows.length);
      for (let row = 0; row < some; row++) {
        rows.push(fields.map(({ type }, column) => cellText(batch.getChildAt(column)?.get(row), String(type))));
      }
      length += batch.numRows;
    }
    const columns = fields.map(({ name, type }) => ({ name, isNumber: numbers.test(String(type)) }));
    return { columns, rows, length };
  }

  #unlessItFails<Value>(work: Promise<Value>): Promise<Value> {
    return Promise.race([this.failure, work]);
  }
}

async function connectionTo(worker: Worker, signal: AbortSignal): Promise<AsyncDuckDBConnection> {
  const database = new AsyncDuckDB(new VoidLogger(), worker);
  const address = URL.createObjectURL(await loadedModule(signal));
  try {
    await database.instantiate(address);
  } finally {
    URL.revokeObjectURL(address);
  }
  await database.open({ query: { castDecimalToDouble: true } });
  const connection = await database.connect();
  await connection.query(lock);
  return connection;
}

/** Loads the module in the page, because DuckDB's worker does not report a module that it cannot load. */
async function loadedModule(signal: AbortSignal): Promise<Blob> {
  const response = await fetch(module, { signal });
  if (!response.ok) {
    throw new Error(`DuckDB could not be loaded: the status is ${response.status}.`);
  }
  return new Blob([await response.arrayBuffer()], { type: "application/wasm" });
}

/** A promise that rejects when a worker fails, or when the signal is aborted. Then the worker ends. */
function failureOf(worker: Worker, signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (reason: unknown) => {
    worker.terminate();
    reject(reason);
  };
  worker.addEventListener("error", ({ message }) => end(new Error(message || "DuckDB did not start.")));
  signal.addEventListener("abort", () => end(signal.reason));
  // Nobody may be waiting when it rejects.
  promise.catch(() => {});
  return promise;
}

/** The words of an error of DuckDB, which reports those of its parser as JSON. */
function wordsOf(message: string): string {
  if (!message.startsWith('{"exception_type":')) {
    return message;
  }
  const { exception_type: type, exception_message: words } = JSON.parse(message);
  return `${type} Error: ${words}`;
}
