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
  "findings.stories.js": storybook,
  "findings.spec.js": playwright,
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

const [browserMode] = blocksIn(page).filter((block) => nameOf(block) === "vitest.config.js");
/** The configurations of the example for Vitest; the browser of the tests lies elsewhere. */
const configurations = {
  Node: `export default { test: { include: ["example.test.js"] } };`,
  "its browser mode": browserMode.code.replace(
    "playwright()",
    `playwright(${JSON.stringify({ launchOptions: launchOptions() })})`,
  ),
};

for (const [mode, config] of Object.entries(configurations)) {
  test(`the example for Vitest passes in ${mode}`, async (t) => {
    const own = makeProject({ "example.test.js": vitest, "vitest.config.js": config });
    t.after(own.remove);
    for (const name of ["vitest", "@vitest/browser-playwright", "playwright"]) link(name, own.folder);
    const report = join(own.folder, "vitest.json");
    const program = join(own.folder, "node_modules", "vitest", "vitest.mjs");
    await runNode([program, "run", "--reporter=json", "--outputFile", report], { cwd: own.folder });
    assert.equal(JSON.parse(readFileSync(report, "utf8")).numPassedTests, 2);
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
  const use = JSON.stringify({ launchOptions: launchOptions(), baseURL: server.url });
  const config = `export default { testMatch: "findings.spec.js", use: ${use} };`;
  writeFileSync(join(project.folder, "playwright.config.js"), config);
  const program = inRepository("node_modules", ".bin", "playwright");
  const output = await outputOf(program, "test", "--reporter=json");
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

/** Installs a package of the repository in a project. */
function link(name: string, folder = project.folder) {
  const path = join(folder, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(inRepository("node_modules", name), path, "junction");
}

/** The output of a script that ends by itself. */
async function outputOf(script: string, ...parameters: string[]) {
  return (await runNode([script, ...parameters], { cwd: project.folder })).stdout;
}
