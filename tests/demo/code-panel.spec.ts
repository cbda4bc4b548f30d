/** The code panel: its code runs, fetches what the page shows, and never contains a token. */

import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { codeFor, type Description, tokenPlaceholder } from "../../www/src/code-panel/code.js";
import { textLiteral } from "../../www/src/code-panel/literal.js";
import { violations } from "../axe.js";
import { test as demoTest } from "./demo-page.js";
import { address, expect, openModulePage, test } from "./module-page.js";
import { open, serve } from "./second-origin.js";

const plain: Description = { inspectionKey: 2, kind: "sentiment", baseUrl: "https://host.test/cxi/" };

test.describe("the panel", () => {
  const rooms = 'the "room"\u2028</script> é';
  const findings = Array.from({ length: 400 }, (_, number) => ({
    Number: number,
    TopicGroup: number % 4 === 0 ? null : number % 4 === 1 ? rooms : "Desk",
    Topic: { Text: `${number % 3 === 0 ? rooms.toUpperCase() : "nothing"} ${number % 7}` },
    Sentiment: (number % 5) - 2,
  }));

  test("shows code that runs, and fetches what the page shows", async ({ modulePage: page }) => {
    await using service = await serve({
      partitions: [JSON.stringify(findings.slice(0, 150)), JSON.stringify(findings.slice(150))],
      token: ["authentication", "the-real-token"],
    });
    await place(page);
    await show(page, {
      inspectionKey: 2,
      kind: "topics",
      baseUrl: service.baseUrl,
      tokenHeader: "authentication",
      options: { retries: 0, concurrency: 2 },
      filter: { TopicGroup: [rooms, null], "Topic.Text": { contains: 'the "room"' }, Sentiment: { min: -1, max: 2 } },
      sort: { path: "Sentiment", direction: "desc" },
    });
    const wanted = findings
      .filter(
        ({ TopicGroup, Topic, Sentiment }) =>
          (TopicGroup === rooms || TopicGroup === null) && /the "room"/i.test(Topic.Text) && Sentiment >= -1,
      )
      .toSorted((one, other) => other.Sentiment - one.Sentiment);
    expect(wanted.length).toBeGreaterThan(20);
    const run = (await shownCode(page)).replace(tokenPlaceholder, "the-real-token");
    expect(await outcomeOf(page, run)).toEqual(wanted);
    const [counts, ...partitions] = service.asked.filter(({ method }) => method === "GET").map(({ url }) => url);
    expect(counts).toBe("/cxi/Findings/2");
    // Both are on their way at once.
    expect(partitions.toSorted()).toEqual(["/cxi/Findings/2/Topics/0", "/cxi/Findings/2/Topics/1"]);
  });

  test("shows code that fetches missing partitions after a failure", async ({ modulePage: page }) => {
    await using service = await serve({
      partitions: [JSON.stringify(findings.slice(0, 150)), JSON.stringify(findings.slice(150))],
    });
    let isFirst = true;
    await page.route("**/Topics/1", (route) => {
      const answer = isFirst ? route.fulfill({ headers: open, body: '{"errors":["Not now."]}' }) : route.continue();
      isFirst = false;
      return answer;
    });
    const options = { failurePolicy: "collect" };
    const code = codeFor({ inspectionKey: 2, kind: "topics", baseUrl: service.baseUrl, options, resumed: true });
    expect(await outcomeOf(page, code.replace("const table", "const view"))).toEqual(findings);
    expect(service.asked.map(({ url }) => url)).toEqual([
      "/cxi/Findings/2",
      "/cxi/Findings/2/Topics/0",
      "/cxi/Findings/2",
      "/cxi/Findings/2/Topics/1",
    ]);
  });

  test("shows text and never markup", async ({ modulePage: page }) => {
    await place(page);
    const markup = '<img src=x onerror="alert(1)">';
    await show(page, { ...plain, filter: { [markup]: markup } });
    expect(await shownCode(page)).toContain(textLiteral(markup));
    await expect(page.locator("img")).toHaveCount(0);
  });

  test("copies its lines to the clipboard", async ({ modulePage: page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await place(page);
    await show(page, plain);
    await page.getByRole("button", { name: "Copy" }).focus();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("status")).toHaveText("Copied.");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(codeFor(plain));
  });

  test("copies by a selection without a clipboard, and leaves the selection to the reader if that fails", async ({
    modulePage: page,
    context,
  }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await place(page);
    await show(page, { ...plain, inspectionKey: 77 });
    await page.evaluate(() => {
      Object.assign(globalThis, { clipboard: navigator.clipboard });
      Object.defineProperty(navigator, "clipboard", { value: undefined });
    });
    await page.getByRole("button", { name: "Copy" }).click();
    await expect(page.getByRole("status")).toHaveText("Copied.");
    expect(await page.evaluate(() => Reflect.get(globalThis, "clipboard").readText())).toContain("loadTable(77,");
    await page.evaluate(() => Object.assign(document, { execCommand: () => false }));
    await page.getByRole("button", { name: "Copy" }).click();
    await expect(page.getByRole("status")).toContainText("copy them with the keyboard");
    expect(await page.evaluate(() => String(getSelection()))).toContain("loadTable(77,");
  });

  test("is empty at first, and axe reports nothing", async ({ modulePage: page }) => {
    await place(page);
    await expect(page.getByRole("button", { name: "Copy" })).toHaveAttribute("aria-disabled", "true");
    await show(page, plain);
    expect(await violations(page)).toEqual([]);
    await show(page, undefined);
    expect(await shownCode(page)).toBe("");
  });
});

demoTest.describe("the code of the page", () => {
  demoTest.use({ otherPorts: true });

  demoTest("gives what the page shows, filtered, searched and ordered", async ({ demo, page, context }) => {
    const findings = Array.from({ length: 300 }, (_, number) => ({
      Comment: number % 2 === 0 ? `The “room” ${number}` : `the desk </script> ${number}`,
      Topic: { Text: `Topic ${number % 5}` },
      TopicGroup: number % 3 === 0 ? null : "Group",
      Sentiment: (number % 5) - 2,
    }));
    await using service = await serve({ partitions: [JSON.stringify(findings)] });
    await page.getByRole("radio", { name: "Your own" }).check();
    await page.getByLabel("Base URL").fill(service.baseUrl);
    await demo.load.click();
    await demo.ended();
    await page.getByRole("searchbox").fill("“ROOM”");
    await page.locator("#charts tbody button", { hasText: "Group" }).first().press("Enter");
    await page.getByLabel("Order", { exact: true }).selectOption({ index: 1 });
    await page.evaluate(() => Object.assign(globalThis, { showSaveFilePicker: undefined }));
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as NDJSON" }).click();
    const lines = (await readFile(await (await download).path(), "utf8")).trimEnd().split("\n");
    expect(lines.length).toBe(100);

    const other = await context.newPage();
    await openModulePage(other);
    const given = await outcomeOf(other, await shownCode(page));
    expect(given).toEqual(lines.map((line) => JSON.parse(line)));
  });
});

async function place(page: Page): Promise<void> {
  await page.evaluate(async (module) => {
    const { createCodePanel } = await import(module);
    const panel = createCodePanel();
    document.querySelector("main")?.append(panel.element);
    Object.assign(globalThis, { panel });
  }, address("www/src/code-panel/code-panel.ts"));
}

async function show(page: Page, description: Description | undefined): Promise<void> {
  await page.evaluate((description) => Reflect.get(globalThis, "panel").show(description), description);
}

async function shownCode(page: Page): Promise<string> {
  return page.locator(".code-lines").evaluate(({ textContent }) => textContent);
}

/** Runs the code as a module of the page, and returns the findings of its view. */
async function outcomeOf(page: Page, code: string): Promise<unknown[]> {
  const importing = code.replace('"inspection-findings"', `"${new URL(address("dist/index.js"), page.url())}"`);
  expect(importing).not.toBe(code);
  return page.evaluate(async (module) => {
    const href = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
    const { view } = await import(href);
    return view.toArray();
  }, `${importing}\nexport { view };`);
}
