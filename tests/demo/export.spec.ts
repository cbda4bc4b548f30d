/** The export: files contain the exact findings, and the page stays responsive. */

import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Download, Page } from "@playwright/test";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { jsonText } from "../../src/js/arrow/json-text.js";
import { readers } from "../arrow/streams.js";
import { violations } from "../axe.js";
import { readCsv } from "../demo-parts/csv-readers.js";
import { cellsOf, type Finding, hostile } from "../demo-parts/export-findings.js";
import { test as demoTest } from "./demo-page.js";
import { address, expect, test } from "./module-page.js";

test.describe("the element", () => {
  const texts = hostile.map((text, number) => ({
    Number: number - 3,
    Comment: text,
    Topic: { Text: text, "=1": [text] },
    ...(number % 3 === 0 ? {} : { TopicGroup: number % 3 === 1 ? null : text }),
    Lone: "\ud800 alone",
    Zero: -0,
    Huge: number === 4 ? Number.NEGATIVE_INFINITY : 1e300,
  }));

  for (const { format, mediaType, extension } of [
    { format: "Arrow", mediaType: "application/vnd.apache.arrow.stream", extension: ".arrows" },
    { format: "Parquet", mediaType: "application/vnd.apache.parquet", extension: ".parquet" },
  ]) {
    test(`saves ${format} to the file that the reader picks, and says in it whether all findings are there`, async ({
      modulePage: page,
    }) => {
      await place(page, [{ Rank: 1 }, { Rank: 2 }, { Rank: 9 }]);
      for (const isComplete of [true, false]) {
        await choosing(page, "file");
        await page.getByRole("button", { name: `Save as ${format}` }).click();
        await expect(state(page)).toHaveText(`${isComplete ? 3 : 2} findings exported as ${format}.`);
        const bytes = await chosenBytes(page);
        const metadata = format === "Arrow" ? readers.flechette?.(bytes).metadata : metadataOfParquet(bytes);
        expect(metadata?.get("inspection-findings.complete")).toBe(String(isComplete));
        expect(metadata?.get("inspection-findings.kind")).toBe("topics");
        expect(metadata?.get("inspection-findings.inspection")).toBe("1");
        expect(await page.evaluate(() => Reflect.get(globalThis, "asked"))).toEqual({
          suggestedName: `findings${extension}`,
          types: [{ accept: { [mediaType]: [extension] } }],
        });
        await page.evaluate(() => {
          const { table, show } = Reflect.get(globalThis, "placed");
          show(table.filter({ Rank: { max: 5 } }));
        });
      }
    });
  }

  test("a Parquet file that is stopped half way is not saved, and its worker ends", { tag: "@full" }, async ({
    modulePage: page,
  }) => {
    await placeMany(page, 200_000);
    const downloads: Download[] = [];
    page.on("download", (download) => downloads.push(download));
    expect(await stoppedHalfWay(page, "Parquet")).toMatch(/^50,000 of 200,000 findings, 25 %$/);
    await expect(state(page)).toHaveText("Stopped: no file was written.");
    await expect.poll(() => page.workers().filter((worker) => worker.url().includes("parquet")).length).toBe(0);
    expect(downloads).toEqual([]);
  });

  test("a writer that cannot be loaded is reported", async ({ modulePage: page }) => {
    await place(page, texts);
    await page.route("**/parquet-worker*", (route) => route.abort());
    await page.getByRole("button", { name: "Save as Parquet" }).click();
    await expect(state(page)).toHaveText("The export failed. The worker did not start.");
    await expect(page.getByRole("button", { name: "Save as Parquet" })).toHaveAttribute("aria-disabled", "false");
  });

  test("saves the filtered findings in the order of the view", async ({ modulePage: page }) => {
    await place(page, [{ Rank: 3 }, { Rank: 1 }, { Rank: 2 }, { Rank: 9 }]);
    await page.evaluate(() => {
      const { table, show } = Reflect.get(globalThis, "placed");
      show(table.filter({ Rank: { max: 5 } }).sortBy("Rank"));
    });
    await expect(page.getByText("3 findings, as filtered and sorted here.")).toBeVisible();
    const findings = readNdjson(await saved(page, "NDJSON", "findings.ndjson"));
    expect(findings).toEqual([{ Rank: 1 }, { Rank: 2 }, { Rank: 3 }]);
  });

  test("saves all of them even when the table is freed meanwhile", { tag: "@full" }, async ({ modulePage: page }) => {
    await placeMany(page, 20_000);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as NDJSON" }).click();
    await page.evaluate(() => {
      const { table, show } = Reflect.get(globalThis, "placed");
      show(undefined);
      table.free();
    });
    expect(readNdjson(await contentOf(await download)).length).toBe(20_000);
    await expect(page.getByText("Nothing to export.")).toBeVisible();
  });

  test("saves a Parquet file of two row groups with all findings as they are", { tag: "@full" }, async ({
    modulePage: page,
  }) => {
    const columns = await placeMany(page, 60_000);
    const bytes = await saved(page, "Parquet", "findings.parquet");
    const wanted = Array.from({ length: 60_000 }, (_, number) => cellsOf(manyth(number), columns));
    const found = (await readParquet(bytes)).map((row) => columns.map((name) => row[name] ?? undefined));
    expect(isDeepStrictEqual(found, wanted)).toBe(true);
    expect(parquetMetadata(new Uint8Array(bytes).buffer).row_groups.length).toBe(2);
  });

  test("stops on request, saves nothing, and can start again", async ({ modulePage: page }) => {
    await placeMany(page, 30_000);
    const downloads: Download[] = [];
    page.on("download", (download) => downloads.push(download));
    expect(await stoppedHalfWay(page)).toMatch(/^[1-9][\d,]* of 30,000 findings, \d+ %$/);
    await expect(state(page)).toHaveText("Stopped: no file was written.");
    await expect(page.getByText("30,000 findings, as filtered and sorted here.")).toBeVisible();
    await page.waitForTimeout(300);
    expect(downloads).toEqual([]);
    expect(readNdjson(await saved(page, "NDJSON", "findings.ndjson")).length).toBe(30_000);
  });

  test("writes to the file that the reader picks, if the browser can", async ({ modulePage: page }) => {
    await place(page, texts);
    await choosing(page, "file");
    await page.getByRole("button", { name: "Save as NDJSON" }).click();
    await expect(state(page)).toHaveText(`${texts.length} findings exported as NDJSON.`);
    expect(readNdjson(Buffer.from(await chosenContent(page)))).toEqual(texts);
    expect(await page.evaluate(() => Reflect.get(globalThis, "asked"))).toEqual({
      suggestedName: "findings.ndjson",
      types: [{ accept: { "application/x-ndjson": [".ndjson"] } }],
    });
  });

  test("leaves the picked file unchanged when it is stopped", { tag: "@full" }, async ({ modulePage: page }) => {
    await placeMany(page, 100_000);
    await choosing(page, "file", "what was there");
    expect(await stoppedHalfWay(page)).toMatch(/^[1-9][\d,]* of 100,000 findings, \d+ %$/);
    await expect(state(page)).toHaveText("Stopped: no file was written.");
    expect(await chosenContent(page)).toBe("what was there");
  });

  test("does nothing when no file is picked, and reports a file that cannot be written", { tag: "@full" }, async ({
    modulePage: page,
  }) => {
    await place(page, texts);
    await choosing(page, "AbortError");
    await page.getByRole("button", { name: "Save as CSV" }).click();
    await expect(state(page)).toHaveText("Stopped: no file was written.");
    await choosing(page, "NoModificationAllowedError");
    await page.getByRole("button", { name: "Save as CSV" }).click();
    await expect(state(page)).toHaveText("The export failed. There is no room.");
  });

  test("downloads if the browser forbids file pickers", async ({ modulePage: page }) => {
    await place(page, texts);
    await choosing(page, "SecurityError");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as NDJSON" }).click();
    expect(readNdjson(await contentOf(await download))).toEqual(texts);
  });

  test("works by the keyboard, reports its progress, and axe reports nothing", async ({ modulePage: page }) => {
    await place(page, []);
    await expect(page.getByText("Nothing to export.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Save as CSV" })).toHaveAttribute("aria-disabled", "true");
    await place(page, texts);
    await page.getByRole("button", { name: "Save as CSV" }).focus();
    const download = page.waitForEvent("download");
    await page.keyboard.press("Enter");
    await download;
    await expect(page.getByRole("button", { name: "Save as CSV" })).toBeFocused();
    await expect(page.getByRole("status")).toHaveText(`${texts.length} findings exported as CSV.`);
    expect(await violations(page)).toEqual([]);
  });
});

for (const { scenario, all, key, tag } of [
  { scenario: "Small", all: "250", key: 1, tag: [] },
  { scenario: "Large", all: "100,000", key: 2, tag: "@full" },
]) {
  demoTest(`what the page shows of ${all} findings is what is saved`, { tag }, async ({ demo, page }) => {
    await page.evaluate(() => Object.assign(globalThis, { showSaveFilePicker: undefined }));
    await demo.run(scenario);
    await page.getByRole("searchbox").fill("room");
    const shown = page.locator("#count strong");
    await expect(shown).not.toHaveText(all);
    const count = Number((await shown.innerText()).replaceAll(",", ""));
    expect(count).toBeGreaterThan(Number(all.replaceAll(",", "")) / 100);
    const findings = readNdjson(await saved(page, "NDJSON", `inspection-${key}-sentiment.ndjson`)) as Finding[];
    const [names = [], ...rows] = readCsv(await saved(page, "CSV", `inspection-${key}-sentiment.csv`));
    expect(findings.length).toBe(count);
    expect(findings.every(({ Comment }) => /room/i.test(String(Comment)))).toBe(true);
    expect(rows).toEqual(findings.map((finding) => cellsOf(finding, names as string[])));
    const file = await readParquet(await saved(page, "Parquet", `inspection-${key}-sentiment.parquet`));
    expect(file.map((row) => names.map((name) => row[String(name)] ?? undefined))).toEqual(rows);
    const stream = readers.flechette?.(await saved(page, "Arrow", `inspection-${key}-sentiment.arrows`));
    const values = new Map(stream?.columns.map(({ name, values }) => [name, values]));
    for (const [column, name] of names.entries()) {
      expect(values.get(String(name))).toEqual(rows.map((row) => row[column] ?? null));
    }
  });
}

function readNdjson(bytes: Buffer): unknown[] {
  const text = bytes.toString("utf8");
  expect(text.at(-1)).toBe("\n");
  return text
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function readParquet(bytes: Buffer): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({ file: new Uint8Array(bytes).buffer });
}

function metadataOfParquet(bytes: Buffer): Map<string, string | undefined> {
  const { key_value_metadata: pairs = [] } = parquetMetadata(new Uint8Array(bytes).buffer);
  return new Map(pairs.map(({ key, value }) => [key, value]));
}

function state(page: Page) {
  return page.locator("output.export-state");
}

/** Adds the export of a table with these findings to the page, and returns the table's columns. */
async function place(page: Page, findings: Finding[]): Promise<string[]> {
  return placeTable(page, `[${JSON.stringify(jsonText(findings))}]`);
}

/** Generates a finding. */
function manyth(number: number) {
  return {
    Number: number,
    Comment: `Comment ${Math.floor(number / 4)}, “quoted” and "quoted": ${"the rooms were bright, the café small; ".repeat(6)}`,
    Topic: { Text: `Topic ${number % 40}`, Start: number % 200 },
    TopicGroup: number % 5 === 0 ? null : `Group ${number % 7}`,
    Sentiment: (number % 5) - 2,
  };
}

async function placeMany(page: Page, count: number): Promise<string[]> {
  return placeTable(
    page,
    `Array.from({ length: 50 }, (_, partition) =>
      JSON.stringify(Array.from({ length: ${count / 50} }, (_, index) => (${manyth})(partition * ${count / 50} + index))))`,
  );
}

/** The partitions are given as code of an array of JSON texts. */
async function placeTable(page: Page, partitions: string): Promise<string[]> {
  return page.evaluate(
    async ({ partitions, addresses }) => {
      const [{ FindingsClient }, { createExport }] = await Promise.all(addresses.map((module) => import(module)));
      const bodies: string[] = new Function(`return ${partitions}`)();
      const fetch = async (href: string) => {
        const index = /\/Topics\/(\d+)$/.exec(href)?.[1];
        const counts = { TopicPartitions: bodies.length, SentimentPartitions: 0 };
        return new Response(index === undefined ? JSON.stringify(counts) : `{"Findings":${bodies[Number(index)]}}`);
      };
      const client = new FindingsClient({ fetch, baseUrl: "http://service.test/" });
      const table = await client.loadTable(1, "topics");
      client.free();
      let view = table;
      const placed = createExport({ view: () => view, name: () => "findings" });
      document.querySelector("section")?.remove();
      document.querySelector("main")?.append(placed.element);
      const show = (shown: unknown) => {
        view = shown;
        placed.refresh();
      };
      Object.assign(globalThis, { placed: { table, show }, showSaveFilePicker: undefined });
      return table.columns;
    },
    { partitions, addresses: [address("dist/index.js"), address("www/src/export/export.ts")] },
  );
}

async function saved(page: Page, format: string, name: string): Promise<Buffer> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: `Save as ${format}` }).click();
  expect((await download).suggestedFilename()).toBe(name);
  return contentOf(await download);
}

/** Starts an export, stops it after the first write, and returns the progress message. */
function stoppedHalfWay(page: Page, format = "CSV"): Promise<string | null | undefined> {
  return page.evaluate(async (format) => {
    const buttons = [...document.querySelectorAll<HTMLElement>(".export button")];
    const [save, stop] = [`Save as ${format}`, "Stop"].map((name) => buttons.find((one) => one.textContent === name));
    const about = document.querySelector(".export-about") as HTMLElement;
    const isUnderWay = new Promise((resolve) => {
      const observer = new MutationObserver(() => about.textContent?.includes(" of ") && resolve(about.textContent));
      observer.observe(about, { childList: true });
    });
    save?.click();
    const words = (await isUnderWay) as string;
    stop?.click();
    return words;
  }, format);
}

async function contentOf(download: Download): Promise<Buffer> {
  return readFile(await download.path());
}

/** Mocks the file picker: it returns a file with this content, or fails with an error of this name. */
async function choosing(page: Page, outcome: string, content = ""): Promise<void> {
  await page.evaluate(
    async ({ outcome, content }) => {
      const folder = await navigator.storage.getDirectory();
      const file = await folder.getFileHandle("chosen", { create: true });
      const stream = await file.createWritable();
      await stream.write(content);
      await stream.close();
      const showSaveFilePicker = async (asked: object) => {
        Object.assign(globalThis, { asked });
        if (outcome !== "file") {
          throw new DOMException("There is no room.", outcome);
        }
        return file;
      };
      Object.assign(globalThis, { showSaveFilePicker });
    },
    { outcome, content },
  );
}

async function chosenBytes(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate(async () => {
    const folder = await navigator.storage.getDirectory();
    const file = await (await folder.getFileHandle("chosen")).getFile();
    return (new Uint8Array(await file.arrayBuffer()) as unknown as { toBase64(): string }).toBase64();
  });
  return Buffer.from(base64, "base64");
}

function chosenContent(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const folder = await navigator.storage.getDirectory();
    return (await (await folder.getFileHandle("chosen")).getFile()).text();
  });
}
