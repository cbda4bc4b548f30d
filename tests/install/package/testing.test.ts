/** The documentation's examples of `inspection-findings/testing` run in an empty project. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { launchOptions } from "../../../tools/browser.js";
import { inRepository } from "../../../tools/repository.js";
import { blocksIn, nameOf } from "../../docs/documents.js";
import { runNode } from "../../run-node.js";
import { html, makeProject } from "./project.js";
import { serveFolder } from "./static-server.js";

const page = "www/docs/testing.md";
const [first, sessions, vitest, storybook, playwright] = examples();
const [browserMode] = blocksIn(page).filter((block) => nameOf(block) === "vitest.config.js");
/** The browser of the tests lies elsewhere. */
const launch = JSON.stringify({ launchOptions: launchOptions() });
const project = makeProject({
  "first.js": first,
  "sessions.js": sessions,
  "example.test.js": vitest,
  "node.config.js": `export default { test: { include: ["example.test.js"] } };`,
  "browser.config.js": browserMode.code.replace("playwright()", `playwright(${launch})`),
  "findings.stories.js": storybook,
  "findings.playwright.js": playwright,
  "stories.js": `
    import { getFindings } from "inspection-findings";
    import { setupServer } from "msw/node";
    import meta, { Loaded, UnknownInspection } from "./findings.stories.js";
    const outcomes = [];
    const server = setupServer(...meta.parameters.msw.handlers);
    server.listen({ onUnhandledFrame: "error" });
    for (const story of [Loaded, UnknownInspection, Loaded]) {
      const cleanUp = story.beforeEach?.();
      const call = getFindings(42, "topics", { baseUrl: "https://service.example/cxi/" });
      outcomes.push(await call.then(({ length }) => length, ({ status }) => status));
      cleanUp?.();
    }
    server.close();
    console.log(JSON.stringify(outcomes));`,
  "index.html": html("./page.js", "<output></output>"),
  "page.js": `
    import { getFindings } from "./node_modules/inspection-findings/dist/index.js";
    const { length } = await getFindings(42, "topics", { baseUrl: "https://service.example/cxi/" });
    document.querySelector("output").textContent = length + " findings";`,
});

after(() => project.remove());

// The first, because the others install what they need.
for (const [example, printed] of [
  ["first.js", "1000 6\n"],
  ["sessions.js", "250\n"],
]) {
  test(`the example in ${example} gets what it says, with nothing but the package`, async () => {
    assert.equal(await outputOf(example), printed);
  });
}

for (const [mode, config] of Object.entries({ Node: "node.config.js", "its browser mode": "browser.config.js" })) {
  test(`the example for Vitest passes in ${mode}`, async () => {
    link("vitest", "@vitest/browser-playwright", "playwright");
    await outputOf(inRepository("node_modules", "vitest", "vitest.mjs"), "run", "--config", config);
  });
}

test("the example for Storybook works with MSW", async () => {
  link("msw");
  assert.equal(await outputOf("stories.js"), "[310,404,310]\n");
});

test("the example for Playwright passes in Playwright", async (t) => {
  link("@playwright/test");
  const server = await serveFolder(project.folder);
  t.after(() => server.close());
  const use = `{ ...${launch}, baseURL: "${server.url}" }`;
  const config = `export default { testMatch: "findings.playwright.js", use: ${use} };`;
  writeFileSync(join(project.folder, "playwright.config.js"), config);
  await outputOf(inRepository("node_modules", ".bin", "playwright"), "test");
});

/** The pieces of JavaScript of the page about testing, but that for Jest, which is in a project of its own. */
function examples() {
  const blocks = blocksIn(page);
  const scripts = blocks.filter(({ language }) => language === "js");
  const codes = scripts.filter(({ marks }) => !marks.some((mark) => mark.startsWith("as="))).map(({ code }) => code);
  assert.equal(codes.length, 5, `${page} has five examples`);
  return codes;
}

/** Installs packages of the repository in the project, unless they are. */
function link(...names: string[]) {
  for (const path of names.map((name) => join("node_modules", name))) {
    mkdirSync(dirname(join(project.folder, path)), { recursive: true });
    if (!existsSync(join(project.folder, path)))
      symlinkSync(inRepository(path), join(project.folder, path), "junction");
  }
}

/** The output of a script that ends by itself. */
async function outputOf(script: string, ...parameters: string[]) {
  return (await runNode([script, ...parameters], { cwd: project.folder })).stdout;
}
