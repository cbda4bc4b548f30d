/** The pages to copy: the three functions, SQL, export and faults. */

import type { Page } from "@playwright/test";
import { parquetReadObjects } from "hyparquet";
import { readByFlechette } from "../arrow/streams.js";
import { expect, expectAccessible, rowsOf, savedBy, test } from "./demo-page.js";

const status = (page: Page) => page.locator("#status");

test("the demo and each page link each other, and axe reports nothing on a phone", async ({ demo: { page } }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const name of ["The three functions", "SQL", "Export", "Faults"]) {
    await test.step(name, async () => {
      await page.getByRole("region", { name: "Pages to copy" }).getByRole("link", { name }).click();
      await expect(status(page)).toHaveText(/6000 findings|^complete/, { timeout: 45_000 });
      await expectAccessible(page);
      await page.getByRole("link", { name: "Demo" }).click();
      await expect(page.getByRole("heading", { name: "Inspection findings", level: 1 })).toBeVisible();
    });
  }
});

test("the page for SQL answers, quotes mistakes, and reaches nothing outside", async ({ demo: { page } }) => {
  const run = await openForSQL(page);

  await test.step("answers the example", async () => {
    await run();
    await expect(status(page)).toHaveText(/^\d+ rows, \d+ ms$/);
    await expect(page.getByRole("columnheader")).toHaveText(["TopicGroup", "findings", "average"]);
    await expect(page.locator(".null")).toHaveText("NULL");
  });

  await test.step("shows every type as DuckDB writes it", async () => {
    const values = ["170141183460469231731687303715884105727", "275761-01-01", "[1, NULL]", ""];
    await run(`SELECT ${values[0]}::HUGEINT, DATE '${values[1]}', ${values[2]}, '' -- all`);
    await expect(page.getByRole("cell")).toHaveText(values);
  });

  await test.step("shows the first 200 rows of many", async () => {
    await run("SELECT * FROM findings");
    await expect(status(page)).toHaveText(/^6000 rows, .*; the first 200$/);
    await expect(page.locator("tbody tr")).toHaveCount(200);
  });

  const refused: Record<string, [sql: string, message: RegExp]> = {
    "quotes the mistake in a query": ["SELECT Nothing FROM findings", /"Nothing" not found/],
    "reaches no URL": [`FROM read_csv('${new URL(page.url()).origin}/index.html')`, /disabled by configuration/],
    "keeps its settings": ["SET enable_external_access = true", /Cannot|configuration has been locked/],
  };
  for (const [promise, [sql, message]] of Object.entries(refused)) {
    await test.step(promise, async () => {
      await run(sql);
      await expect(status(page)).toContainText(message);
    });
  }
});

// The page loads DuckDB twice.
test("the page for SQL stops a query that would take hours, and can go on", {
  tag: "@full",
}, async ({ demo: { page } }) => {
  const run = await openForSQL(page);
  await run("SELECT count(*) FROM findings a, findings b, findings c WHERE a.Comment > b.Comment || c.Comment");
  await page.getByRole("button", { name: "Stop" }).click();
  await run("SELECT 1 AS one");
  await expect(page.getByRole("cell")).toHaveText("1");
});

test("export saves all findings in each format, also where the reader chooses, or stops", async ({
  demo: { page },
}) => {
  await page.addInitScript(() => Object.assign(globalThis, { showSaveFilePicker: undefined }));
  await page.goto("./examples/export/");
  const readers: typeof rowsOf = {
    ...rowsOf,
    NDJSON: (bytes) => String(bytes).match(/^\{.*\}$/gm),
    Parquet: (bytes) => parquetReadObjects({ file: new Uint8Array(bytes).buffer }),
    Arrow: (bytes) => readByFlechette(new Uint8Array(bytes)).columns[0]?.values,
  };
  for (const format of ["CSV", "Excel", "NDJSON", "Parquet", "Arrow"]) {
    await test.step(`saves all findings as ${format}`, async () => {
      const { bytes } = await savedBy(page, `Save as ${format}`);
      expect(await readers[format]?.(bytes)).toHaveLength(6000);
      await expect(status(page)).toHaveText(`6000 findings saved as ${format}.`);
    });
  }

  await test.step("writes into the file that the reader chooses, and stops on request", async () => {
    await page.evaluate(() => {
      const written: unknown[] = [];
      const file = {
        write: async (part: unknown) => written.push(part),
        close: async () => written.push("closed"),
        abort: async () => written.push("aborted"),
      };
      Object.assign(globalThis, { written, showSaveFilePicker: async () => ({ createWritable: async () => file }) });
    });
    const written = () => page.evaluate(() => Reflect.get(globalThis, "written").at(-1));
    await page.getByRole("button", { name: "Save as NDJSON" }).click();
    await expect(status(page)).toHaveText("6000 findings saved as NDJSON.");
    expect(await written()).toBe("closed");
    await page.evaluate(() => {
      const stop = document.getElementById("stop") as HTMLElement;
      document.querySelector("#formats button")?.dispatchEvent(new Event("click"));
      new MutationObserver(() => stop.click()).observe(stop, { attributes: true });
    });
    await expect(status(page)).toHaveText("Stopped.");
    expect(await written()).toBe("aborted");
  });
});

test("a link to faults has the settings, and every finding arrives in spite of them", async ({ demo: { page } }) => {
  const settings = "errorRate=30&reset=0&latency=0&jitter=10&findings=2000&partitions=20&seed=3&retries=8";
  await page.goto(`./examples/faults/?${settings}`);
  await expect(status(page)).toHaveText(/^complete: 2000 findings, [1-9]\d* retries/, { timeout: 45_000 });
  await expect(page.locator("#map [data-state=received]")).toHaveCount(20);
  await page.getByLabel("Latency").fill("10");
  await expect(page).toHaveURL(/[?&]latency=10(&|$)/);
  await page.reload();
  await expect(page.getByLabel("Latency")).toHaveValue("10");
});

/** Opens the page for SQL, and returns a function that runs a query: that of the page unless given. */
async function openForSQL(page: Page): Promise<(sql?: string) => Promise<void>> {
  await page.goto("./examples/sql/");
  return async (sql) => {
    await expect(page.getByRole("button", { name: "Run" })).toBeEnabled({ timeout: 45_000 });
    if (sql !== undefined) await page.getByLabel("Query").fill(sql);
    await page.getByRole("button", { name: "Run" }).click();
  };
}
