/** DuckDB in a worker, without a way to the network or to files. Loaded late, because its module has some tens of megabytes. */

import { AsyncDuckDB, type AsyncDuckDBConnection, VoidLogger } from "@duckdb/duckdb-wasm";
import script from "@duckdb/duckdb-wasm/dist/duckdb-browser-eh.worker.js?url";
import module from "@duckdb/duckdb-wasm/dist/duckdb-eh.wasm?url";
import { splitBeforeLast } from "./statements.js";

/** The beginning of the result of a query, as text. */
export interface QueryResult {
  columns: readonly { name: string; isNumber: boolean }[];
  /** The first rows. A cell is null where SQL has NULL. */
  rows: readonly (readonly (string | null)[])[];
  /** The number of all rows. */
  length: number;
}

/**
 * The policy of the page does not apply inside a worker whose script is a file. So DuckDB itself must not open files or URLs, nor
 * load extensions, and no query may allow it again.
 */
const lock = `
  SET autoinstall_known_extensions = false;
  SET autoload_known_extensions = false;
  SET enable_external_access = false;
  SET lock_configuration = true;
`;

/** DuckDB's names of its types of numbers. */
const numbers = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\)|BIGNUM)$/;

/** Arrow's names of its types of whole numbers. JavaScript can hold the values of these exactly, texts and Booleans, and no others. */
const wholeNumbers = /^(?:Uint|Int)\d+$/;

/** The most characters of a value that are shown. */
const maxLength = 1000;

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
    const { before, last, isQuery } = splitBeforeLast(sql, await this.#connection.bindings.tokenize(sql));
    if (before !== "") {
      await this.#connection.query(before);
    }
    if (isQuery) {
      try {
        return await this.#queryAsText(last, maxRows);
      } catch {
        // Runs it as it is, so that DuckDB's message quotes what the reader has written.
      }
    }
    return await this.#run(last, maxRows);
  }

  /** Runs a query whose values DuckDB casts to text, because JavaScript cannot represent every SQL type. */
  async #queryAsText(query: string, maxRows: number): Promise<QueryResult> {
    // On lines of their own, because the query may begin or end with a comment.
    const described = await this.#connection.query(`DESCRIBE FROM (\n${query}\n)`);
    const types = described.toArray().map(({ column_type }) => String(column_type));
    const { columns, ...result } = await this.#run(`SELECT COLUMNS(*)::VARCHAR FROM (\n${query}\n)`, maxRows);
    return {
      ...result,
      columns: columns.map(({ name }, column) => ({ name, isNumber: numbers.test(types[column] ?? "") })),
    };
  }

  async #run(statement: string, maxRows: number): Promise<QueryResult> {
    // Reads batch by batch: a large result is never in the page as a whole.
    const reader = await (await this.#connection.send(statement, true)).open();
    const { fields } = reader.schema;
    const inexact = fields.find(
      ({ type }) => !/^(?:Utf8|Bool)$/.test(String(type)) && !wholeNumbers.test(String(type)),
    );
    if (inexact !== undefined) {
      throw new Error(`The column ${inexact.name} can be shown by a query only. The statement has run.`);
    }
    const rows: (string | null)[][] = [];
    let length = 0;
    for await (const batch of reader) {
      const some = Math.min(batch.numRows, maxRows - rows.length);
      for (let row = 0; row < some; row++) {
        rows.push(fields.map((_, column) => cellText(batch.getChildAt(column)?.get(row))));
      }
      length += batch.numRows;
    }
    const columns = fields.map(({ name, type }) => ({ name, isNumber: wholeNumbers.test(String(type)) }));
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
  await database.open({});
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

/** The text of a value that JavaScript holds exactly; null for SQL's NULL. */
function cellText(value: string | boolean | number | bigint | null | undefined): string | null {
  if (value === null || value === undefined) {
    return null;
  }
  const text = String(value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
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
