/** The documentation's examples of `inspection-findings/testing` run in an empty project. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { launchOptions } from "../../tools/browser.js";
import { inRepository } from "../../tools/repository.js";
import { blocksIn, nameOf } from "../docs/documents.js";
import { runNode } from "../run-node.js";
import { html, makeProject } from "./project.js";
import { serveFolder } from "./static-server.js";

const page = "www/docs/testing.md";
const [first, sessions, vitest, storybook, playwright] = examples();
const project = makeProject({
  "first.js": first,
  "sessions.js": sessions,
  "example.test.js": vitest,
  "findings.stories.js": storybook,
  "findings.spec.js": playwright,
  "vitest.config.js": `export default { test: { include: ["example.test.js"] } };`,
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
test("the first example gets what it says, with nothing but the package", async () => {
  assert.equal(await outputOf("first.js"), "1000 6\n");
});

test("the example of sessions gets findings with a token, with nothing but the package", async () => {
  assert.equal(await outputOf("sessions.js"), "250\n");
});

test("the example for Vitest passes in Vitest", async () => {
  link("vitest");
  const report = join(project.folder, "vitest.json");
  await outputOf(
    inRepository("node_modules", ".bin", "vitest"),
    "run",
    "--root",
    project.folder,
    "--reporter=json",
    "--outputFile",
    report,
  );
  assert.equal(JSON.parse(readFileSync(report, "utf8")).numPassedTests, 2);
});

test("the example for Vitest passes in its browser mode, with the configuration of the page", async (t) => {
  const [{ code }] = blocksIn(page).filter((block) => nameOf(block) === "vitest.config.js");
  // The browser of the tests lies elsewhere.
  const provider = `playwright(${JSON.stringify({ launchOptions: launchOptions() })})`;
  const own = makeProject({
    "example.test.js": vitest,
    "vitest.config.js": code.replace("playwright()", provider),
  });
  t.after(own.remove);
  for (const name of ["vitest", "@vitest/browser-playwright", "playwright"]) link(name, own.folder);
  const report = join(own.folder, "vitest.json");
  const vitestFile = join(own.folder, "node_modules", "vitest", "vitest.mjs");
  await runNode([vitestFile, "run", "--reporter=json", "--outputFile", report], { cwd: own.folder });
  assert.equal(JSON.parse(readFileSync(report, "utf8")).numPassedTests, 2);
});

test("the example for Storybook works with MSW", async () => {
  link("msw");
  assert.equal(await outputOf("stories.js"), "[310,404,310]\n");
});

test("the example for Playwright passes in Playwright", async (t) => {
  link("@playwright/test");
  const server = await serveFolder(project.folder);
  t.after(() => server.close());
  const config = join(project.folder, "playwright.config.js");
  const use = JSON.stringify({ launchOptions: launchOptions(), baseURL: server.url });
  writeFileSync(config, `export default { testMatch: "findings.spec.js", use: ${use} };`);
  const output = await outputOf(
    inRepository("node_modules", ".bin", "playwright"),
    "test",
    "--config",
    config,
    "--reporter=json",
  );
  assert.equal(JSON.parse(output).stats.expected, 1);
});

/** The pieces of JavaScript of the page about testing, but that for Jest, which is in a project of its own. */
function examples() {
  const blocks = blocksIn(page);
  const scripts = blocks.filter(({ language }) => language === "js");
  const codes = scripts.filter(({ marks }) => !marks.some((mark) => mark.startsWith("as="))).map(({ code }) => code);
  assert.equal(codes.length, 5, `${page} has five examples`);
  return codes;
}

/**
 * Installs a package of the repository in a project.
 * @param {string} name
 */
function link(name, folder = project.folder) {
  const path = join(folder, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(inRepository("node_modules", name), path, "junction");
}

/**
 * The output of a script that ends by itself.
 * @param {string} script
 * @param {...string} parameters
 */
async function outputOf(script, ...parameters) {
  return (await runNode([script, ...parameters], { cwd: project.folder })).stdout;
}
