/** The minimal example: one file of HTML that any static server serves from the tarball. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createFakeService } from "inspection-findings/testing";
import { newPage, startBrowser } from "./page.js";
import { makeProject } from "./project.js";
import { serveFolder } from "./static-server.js";

const example = "node_modules/inspection-findings/www/examples/minimal/index.html";

const browser = await startBrowser();
const project = makeProject({});
const server = await serveFolder(project.folder);

after(async () => {
  await browser.close();
  await server.close();
  project.remove();
});

test("the minimal example draws the ten largest topic groups of all findings, without a warning", async () => {
  const groups = new Map();
  const findings = createFakeService({ scenario: "jittered" }).findings("sentiment");
  for (const { TopicGroup } of findings) groups.set(TopicGroup, (groups.get(TopicGroup) ?? 0) + 1);
  const expected = [...groups.values()].sort((a, b) => b - a).slice(0, 10);

  const { page, notices, close } = await newPage(browser);
  try {
    await page.goto(new URL(example, server.url).href);
    await page.getByText(`All findings have arrived: ${findings.length} findings`).waitFor({ timeout: 30_000 });
    assert.deepEqual((await page.locator(".count").allTextContents()).map(Number), expected);
    assert.ok(((await page.locator(".bar").first().boundingBox())?.width ?? 0) > 100);
    assert.equal(await page.getByRole("progressbar").evaluate((bar) => /** @type {any} */ (bar).position), 1);
    assert.deepEqual([notices.console, notices.failures], [[], []]);
  } finally {
    await close();
  }
});
