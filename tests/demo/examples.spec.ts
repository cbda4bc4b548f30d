/** The pages to copy: SQL, export and faults. */

import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { parse } from "csv-parse/sync";
import { parquetReadObjects } from "hyparquet";
import readWorkbook from "read-excel-file/node";
import { readers } from "../arrow/streams.js";
import { expect, test } from "./demo-page.js";

test("the demo links to each page, and each page links back", async ({ demo: { page } }) => {
  for (const name of ["SQL", "Export", "Faults"]) {
    await page.getByRole("region", { name: "Pages to copy" }).getByRole("link", { name }).click();
    await page.getByRole("link", { name: "Demo" }).click();
    await expect(page.getByRole("heading", { name: "Inspection findings", level: 1 })).toBeVisible();
  }
});

test.describe("SQL", () => {
  const status = (page: Page) => page.locator("#status");
  const run = async (page: Page, sql?: string) => {
    await expect(page.getByRole("button", { name: "Run" })).toBeEnabled({ timeout: 45_000 });
    if (sql !== undefined) await page.getByLabel("Query").fill(sql);
    await page.getByRole("button", { name: "Run" }).click();
  };

  test.beforeEach(async ({ demo: { page } }) => {
    await page.goto("./examples/sql/");
  });

  test("answers the example, and shows every type of SQL as DuckDB writes it", async ({ page }) => {
    await run(page);
    await expect(status(page)).toHaveText(/^\d+ rows, \d+ ms$/);
    await expect(page.getByRole("columnheader")).toHaveText(["TopicGroup", "findings", "average"]);
    await expect(page.locator(".null")).toHaveText("NULL");
    await run(
      page,
      "SELECT 170141183460469231731687303715884105727::HUGEINT, DATE '275761-01-01', [1, NULL], '' -- all",
    );
    await expect(page.getByRole("cell")).toHaveText([
      "170141183460469231731687303715884105727",
      "275761-01-01",
      "[1, NULL]",
      "",
    ]);
  });

  test("shows the first 200 rows of many, and quotes the mistake in a query", async ({ page }) => {
    await run(page, "SELECT * FROM findings");
    await expect(status(page)).toHaveText(/^6000 rows, .*; the first 200$/);
    await expect(page.locator("tbody tr")).toHaveCount(200);
    await run(page, "SELECT Nothing FROM findings");
    await expect(status(page)).toContainText('"Nothing" not found');
  });

  test("stops a query that would take hours, and can go on", async ({ page }) => {
    await run(page, "SELECT count(*) FROM findings a, findings b, findings c WHERE a.Comment > b.Comment || c.Comment");
    await page.getByRole("button", { name: "Stop" }).click();
    await run(page, "SELECT 1 AS one");
    await expect(page.getByRole("cell")).toHaveText("1");
  });

  test("reaches neither the network nor files", async ({ page }) => {
    await run(page, `SELECT * FROM read_csv('${new URL(page.url()).origin}/index.html')`);
    await expect(status(page)).toContainText(/disabled by configuration/);
    await run(page, "SET enable_external_access = true");
    await expect(status(page)).toContainText(/Cannot|configuration has been locked/);
  });
});

test.describe("export", () => {
  const saved = async (page: Page, format: string) => {
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: `Save as ${format}` }).click();
    const bytes = await readFile(String(await (await downloading).path()));
    await expect(page.locator("#status")).toHaveText(`6000 findings saved as ${format}.`);
    return bytes;
  };

  test.beforeEach(async ({ demo: { page } }) => {
    await page.addInitScript(() => Object.assign(globalThis, { showSaveFilePicker: undefined }));
    await page.goto("./examples/export/");
  });

  test("saves all findings in each format", async ({ page }) => {
    const data: { Comment: string }[] = parse(await saved(page, "CSV"), { columns: true, bom: true });
    expect(data).toHaveLength(6000);
    const [workbook] = await readWorkbook(await saved(page, "Excel"));
    expect(workbook?.data).toHaveLength(6001);
    const lines = (await saved(page, "NDJSON")).toString().trim().split("\n");
    // CSV has apostrophes in front of formulas.
    const texts = (comments: string[]) => comments.map((comment) => comment.replaceAll("'", ""));
    expect(texts(lines.map((line) => JSON.parse(line).Comment))).toEqual(texts(data.map(({ Comment }) => Comment)));
    const rows = await parquetReadObjects({ file: new Uint8Array(await saved(page, "Parquet")).buffer });
    expect(rows.map(({ Sentiment }) => Sentiment)).toEqual(lines.map((line) => JSON.parse(line).Sentiment));
    expect(readers.flechette?.(new Uint8Array(await saved(page, "Arrow"))).columns[0]?.values).toHaveLength(6000);
  });

  test("writes into the file that the reader chooses, and stops on request", async ({ page }) => {
    await page.evaluate(() => {
      const written: unknown[] = [];
      const file = {
        write: async (part: unknown) => written.push(part),
        close: async () => {},
        abort: async () => written.push("aborted"),
      };
      Object.assign(globalThis, { written, showSaveFilePicker: async () => ({ createWritable: async () => file }) });
    });
    await page.getByRole("button", { name: "Save as NDJSON" }).click();
    await expect(page.locator("#status")).toHaveText("6000 findings saved as NDJSON.");
    await page.evaluate(() => {
      document.querySelector("#formats button")?.dispatchEvent(new Event("click"));
      new MutationObserver(() => document.getElementById("stop")?.click()).observe(
        document.getElementById("stop") as Node,
        { attributes: true },
      );
    });
    await expect(page.locator("#status")).toHaveText("Stopped.");
    expect(await page.evaluate(() => Reflect.get(globalThis, "written").at(-1))).toBe("aborted");
  });
});

test.describe("faults", () => {
  test("a link has the settings, and every finding arrives in spite of the faults", async ({ demo: { page } }) => {
    await page.goto(
      "./examples/faults/?errorRate=30&reset=0&latency=0&jitter=10&findings=2000&partitions=20&seed=3&retries=8",
    );
    await expect(page.locator("#status")).toHaveText(/^complete: 2000 findings, [1-9]\d* retries/, { timeout: 45_000 });
    await expect(page.locator("#map .received")).toHaveCount(20);
    await page.getByLabel("Latency").fill("10");
    expect(new URL(page.url()).searchParams.get("latency")).toBe("10");
    await page.reload();
    await expect(page.getByLabel("Latency")).toHaveValue("10");
  });

  test("what is missing can be fetched", async ({ demo: { page } }) => {
    await page.goto(
      "./examples/faults/?errorRate=40&reset=0&latency=0&jitter=0&findings=200&partitions=20&retries=0&seed=2",
    );
    await expect(page.locator("#status")).toHaveText(/^(failed|partial): /);
    const isPartial = () => page.getByRole("button", { name: "Fetch what is missing" }).isVisible();
    while (await isPartial()) {
      await page.getByRole("button", { name: "Fetch what is missing" }).click();
      await expect(page.locator("#stop")).toBeDisabled();
    }
    await expect(page.locator("#status")).toHaveText(/^complete: 200 findings/);
  });
});
