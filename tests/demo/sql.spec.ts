/** The SQL panel: DuckDB answers about the loaded findings, only when asked, and reaches nothing outside. */

import type { Page } from "@playwright/test";
import { DemoPage, expect, later, test } from "./demo-page.js";
import { serve } from "./second-origin.js";

/** SQL expressions, many of whose values JavaScript cannot hold, and what DuckDB writes for them. */
const writtenValues = {
  NULL: "NULL",
  "'NULL'": "NULL",
  "340282366920938463463374607431768211455::UHUGEINT": "340282366920938463463374607431768211455",
  "'-1234567890123456789012345678.0123456789'::DECIMAL(38, 10)": "-1234567890123456789012345678.0123456789",
  "'-0'::DOUBLE": "-0.0",
  "repeat('x', 1000)": "x".repeat(1000),
  "repeat('x', 1001)": `${"x".repeat(1000)}…`,
  "'aa\\xFF'::BLOB": "aa\\xFF",
  "'2020-01-31 12:34:56+02'::TIMESTAMPTZ": "2020-01-31 10:34:56+00",
  "{'a': MAP {1: INTERVAL '90 minutes'}, 'b': ['NaN'::FLOAT, NULL]}": "{'a': {1='01:30:00'}, 'b': [nan, NULL]}",
};

test.describe("an open panel", () => {
  test.beforeEach(async ({ demo }) => {
    await demo.run("Small");
  });

  test("loads DuckDB when it is opened, and not before", { tag: "@full" }, async ({ demo, page }) => {
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    await page.reload();
    await demo.run("Small");
    await page.waitForLoadState("networkidle");
    const later = /duckdb|database|panel|arrow|parquet/;
    expect(requested.filter((path) => later.test(path))).toEqual([]);
    await open(page);
    await expect(state(page)).toHaveText("DuckDB is ready.", { timeout: 30_000 });
    expect(requested.filter((path) => /duckdb.*\.(js|wasm)$/.test(path)).length).toBeGreaterThanOrEqual(2);
    expect(duckDBs(page)).toBe(1);
  });

  test("answers the example and what the charts count, and shows text and never markup", async ({ demo, page }) => {
    await open(page);
    await run(page);
    await expect(state(page)).toHaveText(/^\d+ rows, \d+\.\d s\.$/, { timeout: 30_000 });
    for (const [group = "", findings] of await cells(page)) {
      const shown = await demo.number("Topic groups", group === "NULL" ? "Not mapped" : group);
      expect(Number(findings), group).toBe(shown);
    }
    await ask(page, "SELECT count(*) FROM sentiment WHERE Sentiment = -2");
    await expect(state(page)).toHaveText(/^1 row,/);
    expect(await cells(page)).toEqual([[String(await demo.number("Sentiment", "Very negative"))]]);
    const markup = '<img src="x" onerror="globalThis.harmed = true">';
    await ask(page, `SELECT '${markup}' AS "<b>${markup.replaceAll('"', "")}</b>"`);
    await expect(page.locator(".sql-rows td")).toHaveText(markup);
    await expect(page.locator(".sql-rows th")).toContainText("<b><img src=x");
    await expect(page.locator(".sql img, .sql b")).toHaveCount(0);
    expect(await page.evaluate(() => Reflect.get(globalThis, "harmed"))).toBeUndefined();
  });

  test("runs by Ctrl or Command with Enter, and shows the first rows of many", { tag: "@full" }, async ({ page }) => {
    await open(page);
    for (const [key, rows] of [
      ["Control", 100_000],
      ["Meta", 201],
      ["Control", 200],
    ] as const) {
      await query(page).fill(`SELECT range AS n FROM range(${rows})`);
      await page.keyboard.press(`${key}+Enter`);
      const words = rows === 200 ? "200 rows" : `The first 200 of ${rows.toLocaleString("en")} rows`;
      await expect(state(page)).toHaveText(new RegExp(`^${words}, \\d`), { timeout: 30_000 });
      expect((await cells(page)).map(([cell]) => cell)).toEqual(Array.from({ length: 200 }, (_, n) => String(n)));
    }
    await expect(query(page)).toBeFocused();
  });

  test("shows values as DuckDB writes them", { tag: "@full" }, async ({ page }) => {
    await open(page);
    await ask(page, `SELECT ${Object.keys(writtenValues).join()}`);
    await expect(state(page)).toHaveText(/^1 row,/, { timeout: 30_000 });
    expect(await cells(page)).toEqual([Object.values(writtenValues)]);
    await expect(page.locator(".sql-null")).toHaveCount(1);
  });

  test("aligns numbers, also those that JavaScript cannot hold, and no other values", { tag: "@full" }, async ({
    page,
  }) => {
    await open(page);
    await ask(page, "SELECT 1::HUGEINT, 1.5, 'NaN'::FLOAT, 1::BIGNUM, 1::UINTEGER, '1', [1], DATE '2020-01-31'");
    await expect(page.locator(".sql-rows td.sql-number")).toHaveCount(5, { timeout: 30_000 });
    await expect(page.locator(".sql-rows td.sql-text")).toHaveText(["1", "[1]", "2020-01-31"]);
  });

  test("shows the result of the last statement, whatever its kind", { tag: "@full" }, async ({ page }) => {
    await open(page);
    for (const { sql, shown } of [
      { sql: "SELECT 1; -- ö; 'ü'\nSELECT 'ä;ö' AS x; -- one\n;\n -- two", shown: [["ä;ö"]] },
      {
        sql: "CREATE TABLE t (h HUGEINT);\nINSERT INTO t VALUES (10), (9), (11);\nFROM t ORDER BY h",
        shown: [["9"], ["10"], ["11"]],
      },
      { sql: "PIVOT t ON h USING count(*)", shown: [["1", "1", "1"]] },
      { sql: "WITH x AS (SELECT 1.0 AS y) TABLE x", shown: [["1.0"]] },
      { sql: "(SELECT 2.5) UNION ALL VALUES (1.5) ORDER BY 1", shown: [["1.5"], ["2.5"]] },
      { sql: "SHOW TABLES", shown: [["sentiment"], ["t"]] },
      { sql: "DESCRIBE t", shown: [["h", "HUGEINT", "YES", "NULL", "NULL", "NULL"]] },
      { sql: "PRAGMA table_info('t')", shown: [["0", "h", "HUGEINT", "false", "NULL", "false"]] },
      { sql: "INSERT INTO t VALUES (12)", shown: [["1"]] },
    ]) {
      await ask(page, sql);
      await expect.poll(() => cells(page), { message: sql, timeout: 30_000 }).toEqual(shown);
    }
    await ask(page, "DELETE FROM t WHERE h = 9 RETURNING h");
    await expect(state(page)).toHaveText("The column h can be shown by a query only. The statement has run.");
    await ask(page, "SELECT h FROM t ORDER BY h DESC");
    await expect.poll(() => cells(page)).toEqual([["12"], ["11"], ["10"]]);
  });

  test("has the table that the page shows, of the other kind and of a partial result too", { tag: "@full" }, async ({
    demo,
    page,
  }) => {
    await open(page);
    await ask(page, "SELECT count(*) FROM sentiment");
    await expect(page.locator(".sql-rows td")).toHaveText("250", { timeout: 30_000 });
    await demo.run("Small", "Topics");
    await expect(page.locator(".sql-rows")).toHaveCount(0);
    await ask(page, "SELECT count(*), (SELECT count(*) FROM duckdb_tables()) FROM topics");
    await expect.poll(() => cells(page)).toEqual([["310", "1"]]);
    await demo.run("Service errors", "Sentiment");
    await ask(page, "SELECT count(*) FROM sentiment");
    await expect.poll(() => cells(page)).toEqual([["300"]]);
    await expect(page.locator(".sql-about")).toHaveText(
      "DuckDB runs in this browser. The table sentiment has everything loaded so far: 300 findings.",
    );
  });

  test("has the example of the kind, unless the reader has written something else", { tag: "@full" }, async ({
    demo,
    page,
  }) => {
    await open(page);
    await expect(query(page)).toHaveValue(/FROM sentiment/);
    await demo.run("Small", "Topics");
    await expect(query(page)).toHaveValue(/FROM topics/);
    await query(page).fill("SELECT 1");
    await demo.run("Small", "Sentiment");
    await expect(query(page)).toHaveValue("SELECT 1");
  });

  for (const [how, end] of [
    ["stopped", (page: Page) => page.locator(".sql").getByRole("button", { name: "Stop" }).click()],
    ["closed", (page: Page) => page.getByText("Ask in SQL").click()],
  ] as const) {
    test(`ends its worker when a query is ${how}, and answers the next one`, { tag: "@full" }, async ({ page }) => {
      await open(page);
      await ask(page, "SELECT sum(sin(one.range * other.range)) FROM range(10000000) one, range(10000000) other");
      await expect(state(page)).toHaveText("Running.", { timeout: 30_000 });
      await page.waitForTimeout(300);
      expect(duckDBs(page)).toBe(1);
      await end(page);
      await expect.poll(() => duckDBs(page)).toBe(0);
      await expect(state(page)).toHaveText("Stopped.");
      if (how === "closed") {
        await open(page);
      }
      await ask(page, "SELECT count(*) FROM sentiment");
      await expect(page.locator(".sql-rows td")).toHaveText("250", { timeout: 30_000 });
      expect(duckDBs(page)).toBe(1);
    });
  }
});

// DuckDB's worker writes every error to the console, so the console is not watched here.
test.describe("errors", () => {
  test("are shown plainly, the next query works, and no statement reaches another URL or a file", async ({
    page,
    context,
  }) => {
    await using service = await serve();
    const address = service.baseUrl;
    await openDemo(page);
    for (const { sql, words } of [
      { sql: "SELEC 1", words: /^Parser Error: syntax error at or near "SELEC"/ },
      { sql: "SELECT * FROM nowhere", words: /^Catalog Error: Table with name nowhere does not exist!/ },
      { sql: "SELECT error('<b>x</b>')", words: /<b>x<\/b>$/ },
      { sql: "", words: /no statements/ },
    ]) {
      await ask(page, sql);
      await expect(state(page)).toHaveText(words, { timeout: 30_000 });
      await expect(page.locator(".sql-rows")).toHaveCount(0);
    }
    await ask(page, "SELECT count(*) FROM sentiment");
    await expect(page.locator(".sql-rows td")).toHaveText("250");

    const others: string[] = [];
    context.on("request", (request) => others.push(request.url()));
    for (const sql of [
      `SELECT * FROM '${address}x.csv'`,
      `SELECT * FROM read_csv('${address}x')`,
      `SELECT * FROM read_text('${address}x')`,
      `SELECT * FROM glob('*')`,
      `ATTACH '${address}x.db'`,
      "COPY sentiment TO 'x.csv'",
      `SET custom_extension_repository = '${address}'; INSTALL json; LOAD json`,
      `INSTALL spatial FROM '${address}'; LOAD spatial`,
      `LOAD '${address}x.duckdb_extension.wasm'`,
      "LOAD httpfs",
      "SELECT '{}'::JSON",
      "SELECT * FROM read_parquet('x')",
      "SET enable_external_access = true",
      "SET autoload_known_extensions = true",
      "SET lock_configuration = false",
      "RESET enable_external_access",
    ]) {
      await ask(page, sql);
      await expect(state(page), sql).toHaveText(/^(Permission|Catalog|Invalid Input|Binder|IO) Error: /);
    }
    expect(service.asked).toEqual([]);
    expect(others).toEqual([]);
  });

  test("of a module that cannot be loaded, which the next query loads again", { tag: "@full" }, async ({
    page,
    context,
  }) => {
    await context.route("**/*duckdb*.wasm", (route) => route.abort());
    await openDemo(page);
    await expect(state(page)).toHaveAttribute("data-failed", "true", { timeout: 30_000 });
    await expect(state(page)).not.toBeEmpty();
    expect(duckDBs(page)).toBe(0);
    await context.unroute("**/*duckdb*.wasm");
    await run(page);
    await expect(state(page)).toHaveText(/^\d+ rows,/, { timeout: 30_000 });
  });

  test("of the panel's own code, which the next opening loads again", { tag: "@full" }, async ({ page, context }) => {
    await context.route("**/panel*.js", (route) => route.abort());
    await openDemo(page);
    await expect(state(page)).toHaveText(/fetch/);
    await context.unroute("**/panel*.js");
    await page.getByText("Ask in SQL").click();
    await open(page);
    await expect(state(page)).toHaveText("DuckDB is ready.", { timeout: 30_000 });
  });
});

/** Opens the panel of a page with the small inspection. */
async function openDemo(page: Page): Promise<void> {
  await page.goto(later());
  await new DemoPage(page).run("Small");
  await open(page);
}

async function open(page: Page): Promise<void> {
  await page.getByText("Ask in SQL").click();
}

async function ask(page: Page, sql: string): Promise<void> {
  await query(page).fill(sql);
  await run(page);
}

async function run(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: "Run", exact: true });
  await expect(button).toHaveAttribute("aria-disabled", "false");
  await button.click();
}

function query(page: Page) {
  return page.getByRole("textbox", { name: "Query" });
}

function state(page: Page) {
  return page.locator("output.sql-state");
}

/** The texts in the rows of the result. */
async function cells(page: Page): Promise<string[][]> {
  return page
    .locator(".sql-rows tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent ?? "")));
}

/** The number of DuckDB's workers. */
function duckDBs(page: Page): number {
  return page.workers().filter((worker) => worker.url().includes("duckdb")).length;
}
