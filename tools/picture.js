/** The picture of the demo in the documentation: a screenshot of the built demo with a complete inspection. */

import { launchOptions } from "./browser.js";
import { build } from "./build.js";
import { isStarted, log, script } from "./command.js";
import { buildDemo } from "./demo.js";
import { inRepository } from "./repository.js";
import { setUp } from "./setup.js";

/** The picture, in the folder of the pages that show it. */
const picture = inRepository("www", "docs", "demo.png");

const size = { width: 1440, height: 820 };

/** Takes the picture. */
async function takePicture() {
  // Imported late, because the set-up installs them.
  const { chromium } = await import("playwright-core");
  const { preview } = await import("vite");
  const server = await preview({ root: inRepository("www"), preview: { host: "127.0.0.1", port: 0 } });
  const browser = await chromium.launch(launchOptions());
  try {
    const page = await browser.newPage({ viewport: size, colorScheme: "light" });
    await page.goto(`${server.resolvedUrls?.local[0]}?load=later`);
    await page.getByLabel("Scenario").selectOption({ label: "Jittered order" });
    await page.getByRole("button", { name: "Load", exact: true }).click();
    await page.getByText("Complete", { exact: true }).waitFor();
    await page.screenshot({ path: picture });
  } finally {
    await browser.close();
    await server.close();
  }
}

if (isStarted(import.meta.url)) {
  await script(async () => {
    await setUp();
    await build();
    await buildDemo();
    await takePicture();
    log("www/docs/demo.png is up to date.");
  });
}
