/** The package in other people's toolchains: each project is installed from the tarball, built and run. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { chromium } from "playwright-core";
import { wholeLaunchOptions } from "../../../tools/browser.js";
import { pack } from "../../../tools/tarball.js";
import { isFull } from "../../tier.js";
import { freePort } from "../../wire/service/http-server.js";
import { newPage, resultOf, startBrowser } from "../package/page.js";
import { html } from "../package/project.js";
import { findings, startService } from "../package/service.js";
import { serveFolder } from "../package/static-server.js";
import { type InstalledProject, installProject } from "./installed-project.ts";
import { projects, type Run } from "./projects.js";

interface ServedProject extends AsyncDisposable {
  url: string;
  /** Opens its pages; the browser unless given */
  opener?: Parameters<typeof newPage>[0];
}

/** How long a server may take to start, and a page to have its result. */
const LIMIT = 90_000;

const tarball = pack();

const service = await startService();
const browser = await startBrowser();

after(async () => {
  await browser.close();
  await service.close();
});

for (const [name, chosenProject] of chosen()) {
  const { title, runs } = chosenProject;
  describe(title, () => {
    let project: InstalledProject;

    before(async () => {
      project = await installProject(name, chosenProject, tarball);
    });
    afterEach(() => project?.close());

    for (const run of runs) {
      // P37, P41
      test(`the installed package, ${run.name}`, () => check(project, run));
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

async function check(project: InstalledProject, run: Run) {
  for (const command of run.build ?? []) await project.run(wordsOf(command));
  if (run.passes !== undefined) await project.run(wordsOf(run.passes));
  else if (run.command !== undefined) assert.deepEqual(JSON.parse(await written(project, run.command)), findings);
  else if (run.exports !== undefined) {
    const lines = (await written(project, run.exports, "findings.ndjson")).trimEnd().split("\n");
    const exported = lines.map((line) => JSON.parse(line));
    assert.deepEqual(exported, findings.sentiment);
  } else {
    await checkServed(project, run).catch((cause) => {
      throw new Error(`${cause.message}\n${project.output()}`, { cause });
    });
  }
}

function wordsOf(command: string, values: Record<string, string> = {}) {
  return command.split(" ").map((word) => word.replace(/\{(\w+)\}/, (_, name) => values[name]));
}

/** What a command writes that fetches from the service. */
async function written(project: InstalledProject, command: string, name: string = "result.json") {
  const result = join(project.folder, name);
  rmSync(result, { force: true });
  await project.run(wordsOf(command), { SERVICE: service.baseUrl, FINDINGS_URL: service.baseUrl, RESULT: result });
  return readFileSync(result, "utf8");
}

/** Opens the page in each manner that the run names, or fetches what the server responds with. */
async function checkServed(project: InstalledProject, run: Run) {
  await using server = await serve(project, run);
  const { page = "", respondsAt, shows, inPage = "works", inWorker = "works", inOwnWorker } = run;
  const url = new URL(respondsAt ?? page, server.url);
  url.searchParams.set("service", service.baseUrl);
  if (respondsAt !== undefined) {
    // Two at once, then one: what a server keeps serves each of its requests.
    const responses = [...(await Promise.all([fetch(url), fetch(url)])), await fetch(url)];
    for (const response of responses) assert.deepEqual([response.status, await response.json()], [200, findings]);
  } else if (shows !== undefined)
    await look(server, url, ({ page }) => page.getByText(shows).waitFor({ timeout: LIMIT }));
  else
    for (const [manner, outcome] of Object.entries({ page: inPage, worker: inWorker, own: inOwnWorker })) {
      if (outcome === undefined) continue;
      const asked = new URL(url);
      asked.searchParams.set(manner, "");
      await look(server, asked, async ({ page, notices }) => {
        const result = await resultOf(page, LIMIT);
        if (outcome !== "works") return assert.match(String(result.error), outcome);
        const missing = notices.failures.filter((failure) => failure.endsWith(": 404"));
        assert.deepEqual({ ...result, missing }, { findings, missing: [] }, manner);
      });
    }
}

/** Opens a page, and closes it after a look. */
async function look(
  { opener = browser }: ServedProject,
  url: URL,
  at: (opened: Awaited<ReturnType<typeof newPage>>) => Promise<void>,
) {
  const opened = await newPage(opener);
  try {
    await opened.page.goto(url.href, { timeout: LIMIT });
    await at(opened);
  } catch (cause) {
    throw new Error(`The page does not show what it has to: ${JSON.stringify(opened.notices)}`, { cause });
  } finally {
    await opened.close();
  }
}

/** Serves a project by its own server, a folder of it by a plain one under a strict policy, or the project as an extension of the browser. */
async function serve(project: InstalledProject, run: Run): Promise<ServedProject> {
  if (run.asExtension) return loadExtension(project.folder, run);
  if (run.folder !== undefined) return serveUnderPolicy(project.folder, run.folder, run);
  assert.ok(run.serve !== undefined, "a run has a command, a folder, a server or an extension");
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}/`;
  const command = wordsOf(run.serve, { port, service: service.baseUrl });
  const child = project.start(command, { PORT: port, SERVICE: service.baseUrl, FINDINGS_URL: service.baseUrl });
  await responseOf(url, child);
  return { url, [Symbol.asyncDispose]: async () => project.close() };
}

/** Waits until a server responds. */
async function responseOf(url: string, child: import("node:child_process").ChildProcess) {
  const start = performance.now();
  while (child.exitCode === null && performance.now() - start < LIMIT) {
    const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT) }).catch(() => undefined);
    await response?.body?.cancel();
    if (response !== undefined) return;
    await pause(100);
  }
  throw new Error("the server has ended, or does not respond");
}

async function serveUnderPolicy(
  project: string,
  folder: string,
  { hasInlineScripts, page, workerSource = "'self'" }: Run,
): Promise<ServedProject> {
  writePage(project, join(project, folder), page);
  const { origin } = new URL(service.baseUrl);
  const scripts = `script-src 'self' 'wasm-unsafe-eval'; worker-src ${workerSource}`;
  const policy = `default-src 'none'; ${scripts}; connect-src 'self' ${origin}; img-src data:`;
  const headers: Record<string, string> = hasInlineScripts ? {} : { "content-security-policy": policy };
  const { url, close } = await serveFolder(join(project, folder), headers);
  return { url, [Symbol.asyncDispose]: async () => void close() };
}

/** Writes a page into a served folder, unless it has one: that of the project, or one that loads the script with the same name. */
function writePage(folder: string, served: string, page = "index.html") {
  const [from, to] = [folder, served].map((place) => join(place, page));
  if (existsSync(to)) return;
  if (existsSync(from)) copyFileSync(from, to);
  else writeFileSync(to, html(`./${page.replace(/\.html$/, ".js")}`));
}

/** An extension that each new context of a whole Chromium has. */
function loadExtension(folder: string, { page = "index.html" }: Run): ServedProject {
  writePage(folder, folder, page);
  const { args, executablePath } = wholeLaunchOptions();
  const options = {
    executablePath,
    args: [...args, `--load-extension=${folder}`],
    ignoreDefaultArgs: ["--disable-extensions"],
  };
  // Chromium names an extension without a key by its path.
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 32);
  const letters = name.replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)));
  return {
    url: `chrome-extension://${letters}/`,
    opener: { newContext: () => chromium.launchPersistentContext("", options) },
    [Symbol.asyncDispose]: async () => {},
  };
}
