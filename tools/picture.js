/** The picture of the demo in the documentation: a screenshot of the built demo with a complete inspection. */

import { writeFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { preview } from "vite";
import { launchOptions } from "./browser.js";
import { script } from "./command.js";
import { inRepository } from "./repository.js";

await script(async () => {
  const server = await preview({ root: inRepository("www"), preview: { host: "127.0.0.1", port: 0 } });
  const browser = await chromium.launch(launchOptions());
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
    await page.goto(String(server.resolvedUrls?.local[0]));
    await page.getByText("Complete", { exact: true }).waitFor();
    // As WebP, half the bytes of PNG, which Playwright does not write.
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 75 });
    writeFileSync(inRepository("www", "docs", "demo.webp"), Buffer.from(data, "base64"));
  } finally {
    await browser.close();
    await server.close();
  }
  console.log("www/docs/demo.webp is up to date.");
});
