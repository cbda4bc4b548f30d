/** The documentation's playground and the README's quick start in Firefox and WebKit. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launchEngine } from "../../tools/engine.ts";
import { root } from "../../tools/repository.js";
import { html, makeProject } from "../package/project.js";
import { quickStart } from "../package/quick-start.js";
import { serveFolder } from "../package/static-server.js";

const dist = "./node_modules/inspection-findings/dist";
const imports = {
  "inspection-findings": `${dist}/index.js`,
  "inspection-findings/survey": `${dist}/survey.js`,
  "inspection-findings/testing": `${dist}/testing.js`,
};
const { file, prints } = quickStart.runs["as pasted"];
const project = makeProject({
  ...quickStart.files(""),
  "index.html": html(
    `./${file}`,
    `<script type="importmap">${JSON.stringify({ imports })}</script><script src="./watch.js"></script>`,
  ),
  "watch.js": `
    globalThis.lines = [];
    console.log = (...words) => lines.push(words.join(" "));
    for (const name of ["error", "unhandledrejection"]) {
      addEventListener(name, ({ message, reason }) => lines.push("uncaught: " + (message ?? reason)));
    }`,
});
const server = await serveFolder(root);

after(async () => {
  project.remove();
  await server.close();
});

for (const engine of ["firefox", "webkit"] as const) {
  describe(engine, () => {
    let browser: import("../../tools/engine.ts").Browser;
    let page: import("../../tools/engine.ts").Page;

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
      await page.waitForFunction(() =>
        (globalThis as any).lines.some((line: string) => /^Delivery: |^uncaught/.test(line)),
      );
      const lines: string[] = await page.evaluate(() => (globalThis as any).lines, undefined);
      assert.deepEqual(
        lines.filter((line) => line.startsWith("uncaught")),
        [],
      );
      assert.match(lines.join("\n"), prints);
    });
  });
}
