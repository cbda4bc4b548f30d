/** The code of the documentation: every block is compiled strictly and runs, or is a part of a file that other tests run. */

import assert from "node:assert/strict";
import { execSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { readOptions } from "../benchmark/options.js";
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
  const mistakes = blocks.map((block) => [block.place, mistakeOf(block)]);
  assert.deepEqual(
    mistakes.filter(([, mistake]) => mistake !== undefined),
    [],
  );
});

test("the blocks of a page that are of one file have each import of that file", () => {
  /** @type {Map<string, string>} */
  const shown = new Map();
  for (const block of blocks.filter(({ language }) => /^(?:[jt]sx?|vue|svelte)$/.test(language))) {
    const file = block.marks.find((mark) => mark.startsWith("in="))?.slice("in=".length);
    const key = `${block.place.split(":")[0]} ${file}`;
    if (file !== undefined) shown.set(key, (shown.get(key) ?? "") + block.code);
  }
  assert.ok(shown.size > 5);
  const missing = [...shown].flatMap(([key, code]) => {
    // What only the test of a file imports is in a folder beside it.
    const imports = readFileSync(inRepository(key.split(" ")[1]), "utf8").matchAll(/^import .*$/gm);
    return [...imports]
      .filter(([line]) => !/"\.\/common\//.test(line) && !code.includes(line))
      .map(([line]) => `${key}: ${line}`);
  });
  assert.deepEqual(missing, []);
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

for (const { place, code } of blocks.filter(({ language }) => language === "json")) {
  test(`${place} is JSON`, () => {
    assert.doesNotThrow(() => JSON.parse(code));
  });
}

for (const { place, code } of blocks.filter((block) => block.language === "sh" && !isProvedElsewhere(block))) {
  test(`${place} has commands that exist`, () => {
    const { name, scripts, devDependencies } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));
    for (const line of code.trim().split("\n")) {
      const [program, command, ...words] = line.split(" ");
      if (program === "cp") {
        const project = inRepository("target", "copying");
        rmSync(project, { recursive: true, force: true });
        for (const folder of ["node_modules", "dist"]) mkdirSync(join(project, folder), { recursive: true });
        symlinkSync(inRepository(), join(project, "node_modules", name));
        execSync(line, { cwd: project });
        assert.equal(readdirSync(join(project, "dist")).length, 1, line);
        continue;
      }
      assert.equal(program, "npm", line);
      if (command === "install") {
        // The tests in tests/package install the tarball.
        const unknown = words
          .map((word) => word.replace(/(?<=.)@[\d.]+$/, ""))
          .filter((word) => word !== name && devDependencies[word] === undefined);
        assert.deepEqual(unknown, [], line);
      } else {
        const [script, , ...parameters] = command === "run" ? words : [command, ...words];
        assert.ok(script in scripts, line);
        if (script === "bench") {
          readOptions(parameters);
        } else {
          assert.deepEqual(parameters, [], line);
        }
      }
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
