/**
 * The content of the SQL panel: asks DuckDB about the findings that are loaded. DuckDB is loaded with the content, and its worker ends when
 * the panel is closed. The styles are in style/sql.css.
 */

import type { FindingKind, FindingsTable } from "inspection-findings";
import type { Explorer } from "../explorer/explorer.js";
import { arrowStream } from "../export/arrow.js";
import { makeButton } from "../page/button.js";
import { make } from "../page/element.js";
import { counted, duration, number } from "../page/format.js";
import { messageOf } from "../page/message.js";
import type { Database, QueryResult } from "./database.js";
import { resultTable } from "./result-table.js";

/** The most rows that are shown. */
const maxRows = 200;

const loading = "Loading DuckDB (tens of megabytes) …";

/** Queries of columns that every table of their kind has. */
const examples: Readonly<Record<FindingKind, string>> = {
  sentiment: `SELECT TopicGroup,
  count(*) AS findings,
  round(avg(Sentiment), 2) AS average
FROM sentiment
GROUP BY TopicGroup
ORDER BY findings DESC`,
  topics: `SELECT TopicGroup,
  ExpressionGroup,
  count(*) AS findings
FROM topics
GROUP BY ALL
ORDER BY findings DESC`,
};

/** Fills the panel, which has been opened. */
export function fillSqlPanel(details: HTMLDetailsElement, explorer: Explorer): void {
  new Panel(details, explorer);
}

class Panel {
  #explorer: Explorer;
  #about = make("p", { class: "sql-about", id: "sql-about" });
  #query = make("textarea", {
    id: "sql-query",
    rows: "7",
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    "aria-describedby": "sql-about sql-keys",
  });
  #run = makeButton("primary", "Run", () => this.#start());
  #stop = makeButton("outlined", "Stop", () => this.#end());
  #state = make("output", { class: "sql-state" });
  // Focusable, because the keyboard must be able to scroll it.
  #result = make("div", { class: "sql-result", tabindex: "0", role: "region", "aria-label": "Rows", hidden: "" });
  /** The example in the query, as long as the reader has not changed it. */
  #example = "";
  #isRunning = false;
  /** Ends the database. */
  #life = new AbortController();
  #database: Promise<Database> | undefined;
  /** The table that the database has, and its name there. */
  #inserted: { table: FindingsTable<object>; name: FindingKind } | undefined;

  constructor(details: HTMLDetailsElement, explorer: Explorer) {
    this.#explorer = explorer;
    const keys = make("p", { class: "sql-keys", id: "sql-keys" }, "Ctrl or ⌘ with Enter runs it.");
    details.append(
      this.#about,
      make("label", { for: "sql-query" }, "Query"),
      this.#query,
      make("div", { class: "sql-actions" }, this.#run, this.#stop, keys),
      this.#state,
      this.#result,
    );
    details.addEventListener("toggle", () => (details.open ? this.#open() : this.#end()));
    this.#query.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.#start();
      }
    });
    explorer.onShown(() => this.#refresh());
    this.#refresh();
    if (details.open) {
      this.#open();
    }
  }

  /** Updates the number of findings and the example. */
  #refresh(): void {
    const { table, kind } = this.#explorer;
    if (table === undefined && !this.#isRunning) {
      this.#hideRows();
      this.#showStatus("");
    }
    if (this.#query.value === this.#example) {
      this.#example = examples[kind];
      this.#query.value = this.#example;
    }
    const findings = counted(table?.length ?? 0, "finding");
    this.#about.replaceChildren(
      "DuckDB runs in this browser. The table ",
      make("code", {}, kind),
      ` has everything loaded so far: ${findings}.`,
    );
    this.#run.setAttribute("aria-disabled", String(this.#isRunning || table === undefined));
    this.#stop.setAttribute("aria-disabled", String(!this.#isRunning));
  }

  /** Loads DuckDB, so that the first query does not wait for it. */
  async #open(): Promise<void> {
    const { signal } = this.#life;
    this.#showStatus(loading);
    try {
      await this.#started();
      this.#showStatusUnlessRunning("DuckDB is ready.");
    } catch (error) {
      if (!signal.aborted) {
        this.#showStatusUnlessRunning(messageOf(error), true);
      }
    }
  }

  async #start(): Promise<void> {
    if (this.#isRunning || this.#explorer.table === undefined) {
      return;
    }
    await this.#work(async () => {
      this.#showStatus(loading);
      const database = await this.#started();
      this.#showStatus("Running.");
      await this.#insertInto(database);
      const begun = performance.now();
      const result = await database.query(this.#query.value, maxRows);
      this.#show(result);
      return `${rowsOf(result)}, ${duration(performance.now() - begun)}.`;
    });
  }

  /** Does some work and says what it resolves with, or its error. */
  async #work(work: () => Promise<string>): Promise<void> {
    const { signal } = this.#life;
    this.#isRunning = true;
    this.#refresh();
    try {
      const message = await work();
      signal.throwIfAborted();
      this.#showStatus(message);
    } catch (error) {
      this.#hideRows();
      this.#showStatus(signal.aborted ? "Stopped." : messageOf(error), !signal.aborted);
    }
    this.#isRunning = false;
    this.#refresh();
  }

  /** Resolves with the database, which the first query after an end or a failure starts again. */
  #started(): Promise<Database> {
    if (this.#database === undefined) {
      const { signal } = this.#life;
      const started = import("./database.js").then(({ Database }) => Database.start(signal));
      started.then(({ failure }) => failure).catch(() => this.#database === started && this.#forget());
      this.#database = started;
    }
    return this.#database;
  }

  /** Inserts the table that the page has now, unless the database has it. */
  async #insertInto(database: Database): Promise<void> {
    const { table, kind: name } = this.#explorer;
    if (table === undefined) {
      throw new Error("The page has no findings any more.");
    }
    if (table === this.#inserted?.table) {
      return;
    }
    const stream = await arrowStream(table, this.#life.signal);
    if (this.#inserted !== undefined) {
      await database.drop(this.#inserted.name);
      this.#inserted = undefined;
    }
    await database.insert(name, stream);
    this.#inserted = { table, name };
  }

  /** Ends the worker, and what it does. The next query starts another. */
  #end(): void {
    this.#life.abort();
    this.#life = new AbortController();
    this.#forget();
  }

  #forget(): void {
    this.#database = undefined;
    this.#inserted = undefined;
  }

  #show(result: QueryResult): void {
    this.#result.replaceChildren(resultTable(result));
    this.#result.hidden = false;
    this.#result.scrollTo(0, 0);
  }

  #hideRows(): void {
    this.#result.hidden = true;
    this.#result.replaceChildren();
  }

  #showStatusUnlessRunning(text: string, isFailure = false): void {
    if (!this.#isRunning) {
      this.#showStatus(text, isFailure);
    }
  }

  #showStatus(text: string, isFailure = false): void {
    this.#state.textContent = text;
    this.#state.dataset.failed = String(isFailure);
  }
}

function rowsOf({ rows, length }: QueryResult): string {
  return rows.length === length
    ? counted(length, "row")
    : `The first ${number(rows.length)} of ${counted(length, "row")}`;
}
