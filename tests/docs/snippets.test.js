/** The code of the documentation: every block is compiled strictly and runs, or is a part of a file that other tests run. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { newPage, startBrowser } from "../package/page.js";
import { startService } from "../package/service.js";
import { isQuick } from "../tier.js";
import { allBlocks, documents, nameOf, saveFiles } from "./documents.js";
import { isCompiled, isPartial, isProvedElsewhere, isRunInPage, mistakeOf } from "./rules.js";
import { servePages } from "./snippet-page.js";

/** @typedef {import("./documents.js").Block} Block */

const blocks = allBlocks();
const compiled = blocks.filter(isCompiled);

/** The names that code may use without a declaration: the pages say where they come from. */
const known = `
import type { FindingsClient, FindingsTable } from "inspection-findings";
declare global {
  const client: FindingsClient;
  const table: FindingsTable;
}
`;

const service = await startService();
const browser = await startBrowser();
const pages = await servePages(service.baseUrl);
const page = await browser.newPage();
/** @type {string[]} */
const uncaught = [];
page.on("pageerror", ({ message }) => uncaught.push(`${page.url()}: ${message}`));

after(async () => {
  await browser.close();
  await pages.close();
  await service.close();
});

test("every block has a rule that proves it", () => {
  for (const { language, code } of blocks) if (language === "json") JSON.parse(code);
  const mistakes = blocks.map((block) => [block.place, mistakeOf(block)]);
  assert.deepEqual(
    mistakes.filter(([, mistake]) => mistake !== undefined),
    [],
  );
});

for (const compiler of isQuick ? ["typescript"] : ["typescript-5", "typescript"]) {
  test(`every block compiles strictly with ${compiler}`, () => {
    assert.ok(compiled.length > 20);
    const project = writeProject();
    const { status, stdout } = spawnSync(
      process.execPath,
      [inRepository("node_modules", compiler, "bin", "tsc"), "--project", project],
      {
        encoding: "utf8",
      },
    );
    assert.ok(status === 0, stdout);
  });
}

for (const block of blocks.filter(isRunInPage)) {
  test(`${block.place} runs`, async () => {
    const prepare = isPartial(block) ? () => failAtFirst(page, "/Sentiment/1") : undefined;
    assert.equal(await pages.run(page, block, prepare), undefined);
    await page.unrouteAll();
  });
}

test("no block leaves an error uncaught", async () => {
  await page.goto("about:blank");
  assert.deepEqual(uncaught, []);
});

for (const { place, code } of blocks.filter(({ language }) => language === "http")) {
  test(`${place} allows what the package does, in the page and in a worker`, async () => {
    const [, policy = ""] = code.match(/^Content-Security-Policy: (.*)$/m) ?? [];
    assert.notEqual(policy, "");
    for (const worker of [false, true]) {
      const opened = await newPage(browser);
      try {
        const findings = await pages.countUnderPolicy(opened.page, policy, worker);
        assert.equal(findings, 7);
        assert.deepEqual(opened.notices, { ...opened.notices, console: [], failures: [] });
      } finally {
        await opened.close();
      }
    }
  });
}

for (const { place, code } of blocks.filter((block) => block.language === "sh" && !isProvedElsewhere(block))) {
  test(`${place} installs packages and copies files that there are`, () => {
    const { name, devDependencies } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));
    for (const line of code.trim().split("\n")) {
      const [, what = ""] = line.match(/^(?:npm install|cp) (\S+)/) ?? [];
      const installed = what === name || what.replace(/(?<=.)@[\d.]+$/, "") in devDependencies;
      assert.ok(installed || existsSync(inRepository(what.replace(`node_modules/${name}/`, ""))), line);
    }
  });
}

/**
 * Writes each block into a module of its own, inside the repository, where the package's own name resolves to it.
 * @returns the path of their tsconfig.json
 */
function writeProject() {
  const folder = inRepository("target", "snippets");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "known.d.ts"), known);
  for (const page of documents) saveFiles(page, join(folder, page));
  for (const block of compiled.filter((block) => nameOf(block) === undefined)) {
    const name = block.place.replaceAll(/[^\w]+/g, "-");
    // A block without an import is a module, too.
    writeFileSync(join(folder, `${name}.${block.language}`), `${block.code}\nexport {};\n`);
  }
  const project = join(folder, "tsconfig.json");
  // The types of what a block imports besides the package are not ours to check.
  const compilerOptions = {
    allowJs: true,
    checkJs: true,
    jsx: "react-jsx",
    types: ["node", "svelte"],
    skipLibCheck: true,
  };
  writeFileSync(
    project,
    JSON.stringify({ extends: "../../tests/types/tsconfig.json", compilerOptions, include: ["**/*"] }),
  );
  return project;
}

/**
 * Makes the first request for a path fail, in a way that is not retried.
 * @param {import("playwright-core").Page} page
 * @param {string} path the end of it
 */
async function failAtFirst(page, path) {
  let failures = 0;
  await page.route(`**${path}`, async (route) => {
    failures += 1;
    await (failures === 1
      ? route.fulfill({ status: 404, headers: { "access-control-allow-origin": "*" }, body: "{}" })
      : route.continue());
  });
}
