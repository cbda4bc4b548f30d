/** The package in other people's toolchains: each project is installed from the tarball, built and run. */

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { blocksOf } from "../../tools/docs/blocks.js";
import { section } from "../../tools/docs/pages.js";
import { freePort } from "../../tools/port.js";
import { pack } from "../../tools/tarball.js";
import { linesUntil, newPage, resultOf, startBrowser } from "../package/page.js";
import { html } from "../package/project.js";
import { allFindings, startService } from "../package/service.js";
import { serveFolder } from "../package/static-server.js";
import { isFull } from "../tier.js";
import { installProject } from "./installed-project.js";
import { projects } from "./projects.js";

/**
 * @typedef {import("./projects.js").Run} Run
 * @typedef {import("./installed-project.js").InstalledProject} InstalledProject
 */

/** How long a server may take to start, and a page to have its result. */
const LIMIT = 90_000;

const tarball = pack();
const expected = { sentiment: allFindings("Sentiment"), topics: allFindings("Topics") };

/** The README's quick start, as a user pastes it, and its last line on the console. */
const [{ code: quickStart }] = blocksOf(section("Quick start"), "README.md");
const lastLine = /^10000 /m;

const service = await startService();
const browser = await startBrowser();

after(async () => {
  await browser.close();
  await service.close();
});

for (const [name, chosenProject] of chosen()) {
  const { title, runs } = chosenProject;
  describe(title, () => {
    /** @type {InstalledProject} */
    let project;

    before(async () => {
      project = await installProject(name, chosenProject, tarball);
      writeFileSync(join(project.folder, "quick-start.js"), quickStart);
    });
    afterEach(() => project?.close());

    for (const run of runs) {
      test(run.name, () => check(project, run));
    }
  });
}

/** The projects that $PROJECTS names, separated by commas; otherwise all, or in the full tier those that belong to it. */
function chosen() {
  const { PROJECTS } = process.env;
  const all = Object.entries(projects);
  const named = PROJECTS?.split(",");
  const unknown = named?.filter((name) => projects[name] === undefined) ?? [];
  assert.deepEqual(unknown, [], `the projects are ${Object.keys(projects).join(", ")}`);
  if (named !== undefined) return all.filter(([name]) => named.includes(name));
  return all.filter(([, { inFullTier }]) => !isFull || inFullTier);
}

/**
 * @param {InstalledProject} project
 * @param {Run} run
 */
async function check(project, run) {
  for (const command of run.build ?? []) {
    await project.run(wordsOf(command, { tarball }));
  }
  if (run.passes !== undefined) {
    await project.run(wordsOf(run.passes));
  } else if (run.command !== undefined) {
    await printsFindings(project, wordsOf(run.command));
  } else {
    const server = await serve(project, run);
    try {
      if (run.printsQuickStart) await printsQuickStart(project, server.url, run);
      else if (run.respondsAt !== undefined) await respondsWithFindings(new URL(run.respondsAt, server.url));
      else await showsFindings(server.url, run);
    } catch (cause) {
      throw new Error(`${cause instanceof Error ? cause.message : cause}\n${project.output()}`, { cause });
    } finally {
      await server.close();
    }
  }
}

/**
 * @param {string} command
 * @param {Record<string, string>} [values] of the names in braces
 */
function wordsOf(command, values = {}) {
  return command.split(" ").map((word) => word.replace(/\{(\w+)\}/, (_, name) => values[name]));
}

/**
 * @param {InstalledProject} project
 * @param {string[]} command
 */
async function printsFindings(project, command) {
  const result = join(project.folder, "result.json");
  rmSync(result, { force: true });
  await project.run(command, { SERVICE: service.baseUrl, RESULT: result });
  assert.deepEqual(JSON.parse(readFileSync(result, "utf8")), expected);
}

/** @param {URL} url */
async function respondsWithFindings(url) {
  const response = await fetch(url);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.deepEqual(JSON.parse(text), expected);
}

/**
 * Expects the last line of the quick start: on the console of the server that responds, or else on that of the page, without an error there.
 * @param {InstalledProject} project
 * @param {string} url
 * @param {Run} run
 */
async function printsQuickStart(project, url, { respondsAt, page: path = "" }) {
  if (respondsAt !== undefined) {
    const response = await fetch(new URL(respondsAt, url));
    assert.equal(response.status, 200, await response.text());
    assert.match(project.output(), lastLine);
    return;
  }
  await linesUntil(lastLine, browser, new URL(path, url).href, LIMIT);
}

/**
 * Opens the page in each manner that the run names.
 * @param {string} url
 * @param {Run} run
 */
async function showsFindings(url, { page = "", inPage = "works", inWorker = "works", inOwnWorker }) {
  for (const [query, outcome] of /** @type {const} */ ([
    ["", inPage],
    ["&worker", inWorker],
    ["&own", inOwnWorker],
  ])) {
    if (outcome === undefined) continue;
    const result = await resultAt(`${new URL(page, url)}?service=${encodeURIComponent(service.baseUrl)}${query}`);
    if (outcome !== "works") assert.match(String(result.error), outcome);
    else if (result.error !== undefined) throw new Error(`${query || "by default"}: ${result.error}`);
    else assert.deepEqual({ findings: result.findings, missing: result.missing }, { findings: expected, missing: [] });
  }
}

/**
 * The result of a page.
 * @param {string} url
 * @returns {Promise<{ findings?: unknown, error?: string, missing: string[] }>} also the files that the server does not have
 */
async function resultAt(url) {
  const { page, notices, close } = await newPage(browser);
  try {
    await page.goto(url, { timeout: LIMIT });
    const result = await resultOf(page, LIMIT);
    return { ...result, missing: notices.failures.filter((failure) => failure.endsWith(": 404")) };
  } catch (cause) {
    throw new Error(`The page has no result: ${JSON.stringify(notices)}`, { cause });
  } finally {
    await close();
  }
}

/**
 * Serves a project by its own server, or a folder of it by a plain one under a strict policy.
 * @param {InstalledProject} project
 * @param {Run} run
 */
async function serve(project, { folder, hasInlineScripts = false, serve, page = "index.html", workerSource }) {
  if (folder !== undefined) {
    const served = join(project.folder, folder);
    const [from, to] = [project.folder, served].map((place) => join(place, page));
    // A page without an HTML file loads the script with the same name.
    if (!existsSync(from)) writeFileSync(to, html(`./${page.replace(/\.html$/, ".js")}`));
    else if (!existsSync(to)) copyFileSync(from, to);
    return serveFolder(served, hasInlineScripts ? {} : { "content-security-policy": strictPolicy(workerSource) });
  }
  assert.ok(serve !== undefined, "a run has a command, a folder or a server");
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}/`;
  const command = wordsOf(serve, { port, service: service.baseUrl });
  const child = project.start(command, { PORT: port, SERVICE: service.baseUrl });
  try {
    await fetchOf(url, child);
  } catch (cause) {
    throw new Error(`\`${serve}\` does not serve:\n${project.output()}`, { cause });
  }
  return { url, close: async () => project.close() };
}

function strictPolicy(workerSource = "'self'") {
  const { origin } = new URL(service.baseUrl);
  return `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src ${workerSource}; connect-src 'self' ${origin}; img-src data:`;
}

/**
 * Waits until a server responds.
 * @param {string} url
 * @param {import("node:child_process").ChildProcess} child
 */
async function fetchOf(url, child) {
  const start = performance.now();
  while (child.exitCode === null && performance.now() - start < LIMIT) {
    const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT) }).catch(() => undefined);
    await response?.body?.cancel();
    if (response !== undefined) return;
    await pause(100);
  }
  throw new Error("it ended, or does not respond");
}
