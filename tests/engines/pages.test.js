/** The documentation's playground and the README's quick start in Firefox and WebKit. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { section } from "../../tools/docs/pages.ts";
import { launchEngine } from "../../tools/engine.ts";
import { root } from "../../tools/repository.js";
import { blocksOf } from "../docs/documents.js";
import { html, makeProject } from "../package/project.js";
import { serveFolder } from "../package/static-server.js";

const [{ code: quickStart }] = blocksOf(section("Quick start"), "README.md");

const dist = "./node_modules/inspection-findings/dist";
const imports = Object.fromEntries(
  Object.entries({ "": "index", "/survey": "survey", "/testing": "testing" }).map(([entry, name]) => [
    `inspection-findings${entry}`,
    `${dist}/${name}.js`,
  ]),
);
const project = makeProject({
  "index.html": html(
    "./main.js",
    `<script type="importmap">${JSON.stringify({ imports })}</script><script src="./watch.js"></script>`,
  ),
  "watch.js": `
    globalThis.lines = [];
    console.log = (...words) => lines.push(words.join(" "));
    for (const name of ["error", "unhandledrejection"]) {
      addEventListener(name, ({ message, reason }) => lines.push("uncaught: " + (message ?? reason)));
    }`,
  "main.js": quickStart,
});
const server = await serveFolder(root);

after(async () => {
  project.remove();
  await server.close();
});

for (const engine of /** @type {const} */ (["firefox", "webkit"])) {
  describe(engine, () => {
    /** @type {import("../../tools/engine.ts").Browser} */
    let browser;
    /** @type {import("../../tools/engine.ts").Page} */
    let page;

    before(async () => {
      browser = await launchEngine(engine);
      page = await browser.newPage();
    });
    after(() => browser?.close());

    test("the first example of the playground runs to its end", async () => {
      await page.goto(new URL("www/dist/docs/playground.html", server.url).href);
      // WebKit may end a navigation before the page's module has run.
      await page.waitForFunction(() => {
        const run = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Run");
        run?.click();
        return run !== undefined;
      });
      await page.waitForFunction(() => /^Finished after/m.test(document.querySelector("output")?.innerText ?? ""));
      const errors = await page.evaluate(() => document.querySelectorAll(".playground .error").length, undefined);
      assert.equal(errors, 0);
    });

    test("the quick start runs as pasted, without a bundler", async (t) => {
      const own = await serveFolder(project.folder);
      t.after(() => own.close());
      await page.goto(own.url);
      const isOver = () =>
        /** @type {any} */ (globalThis).lines.some((/** @type {string} */ line) => /^Delivery: |^uncaught/.test(line));
      await page.waitForFunction(isOver);
      const lines = await page.evaluate(() => /** @type {any} */ (globalThis).lines, undefined);
      assert.ok(!lines.some((/** @type {string} */ line) => line.startsWith("uncaught")), lines.join("\n"));
      assert.match(lines.join("\n"), /^Delivery: 332 of 437 are negative$/m);
    });
  });
}
