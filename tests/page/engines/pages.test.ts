/** The documentation's playground in Firefox and WebKit. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launchEngine } from "../../../tools/engine.ts";
import { root } from "../../../tools/repository.js";
import { serveFolder } from "../../install/package/static-server.js";

const server = await serveFolder(root);

after(() => server.close());

for (const engine of ["firefox", "webkit"] as const) {
  describe(engine, () => {
    let browser: import("../../../tools/engine.ts").Browser;
    let page: import("../../../tools/engine.ts").Page;

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
  });
}
