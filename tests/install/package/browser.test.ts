/** The package in pages: from Vite's dev server, from a Vite build, and from a plain static server with no bundler at all. */

import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { after, afterEach, beforeEach, type TestContext, test } from "node:test";
import { createFakeService } from "inspection-findings/testing";
import { build, createServer, preview } from "vite";
import { newPage, resultOf, startBrowser } from "./page.js";
import { html, makeProject } from "./project.js";
import { quickStart } from "./quick-start.js";
import { findings, longInspection, startService } from "./service.js";
import { serveFolder } from "./static-server.js";

let opened: Awaited<ReturnType<typeof newPage>>;

const service = await startService();
const browser = await startBrowser();
const dist = "./node_modules/inspection-findings/dist";
/** The scripts of pages, by the name of the page. */
const scripts = {
  index: fetching("inspection-findings"),
  plain: fetching(`${dist}/index.js`),
  nested: `
    const worker = new Worker("./plain.js" + location.search, { type: "module" });
    globalThis.result = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });`,
  network: `
    const from = new URLSearchParams(location.search).get("from");
    const { getFindings } = await import(from + "node_modules/inspection-findings/dist/index.js");
    ${fetching()}`,
  manual: `
    import { init } from "${dist}/manual.js";
    await init({ module: new URL("${dist}/inspection_findings_bg.wasm", import.meta.url) });
    ${fetching(`${dist}/manual.js`)}`,
  byUrl: `
    import url from "inspection-findings/inspection_findings_bg.wasm?url";
    import { init } from "inspection-findings/manual";
    await init({ module: new URL(url, import.meta.url) });
    ${fetching("inspection-findings/manual")}`,
  inline: fetching(`${dist}/inline.js`),
  objects: fetching(`${dist}/objects.js`),
  register: `
    await navigator.serviceWorker.register("./service-worker.js", { type: "module" });
    const { active } = await navigator.serviceWorker.ready;
    const { port1, port2 } = new MessageChannel();
    globalThis.result = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
    active.postMessage("fetch", [port2]);`,
};
const project = makeProject({
  ...Object.fromEntries(
    [...Object.keys(scripts), "first", "real"].map((name) => [`${name}.html`, html(`./${name}.js`)]),
  ),
  ...Object.fromEntries(Object.entries(scripts).map(([name, script]) => [`${name}.js`, script])),
  ...quickStart.files(service.baseUrl),
  "service-worker.js": `
    import { getFindings } from "${dist}/index.js";
    self.addEventListener("message", (event) => event.waitUntil(respond(event.ports[0])));
    const respond = (port) => getFindings(42, "sentiment", { baseUrl: "${service.baseUrl}" }).then(
      (findings) => port.postMessage({ findings }),
      (error) => port.postMessage({ error: String(error) }),
    );`,
});

after(async () => {
  await browser.close();
  project.remove();
  await service.close();
});

beforeEach(async () => {
  // Vite's server and its build each set it, unless it is set, and so change the conditions of the other's exports.
  delete process.env.NODE_ENV;
  opened = await newPage(browser);
});

afterEach(() => opened.close());

const settings = {
  root: project.folder,
  configFile: false as const,
  logLevel: "error" as const,
  server: { host: "127.0.0.1", port: 0 },
  preview: { host: "127.0.0.1", port: 0 },
};

test("Vite's dev server needs no configuration, and runs the quick start without a warning", async (t) => {
  const server = await createServer(settings);
  t.after(() => server.close());
  await server.listen();
  // The worker starts by the text of its script: the development server has moved the package away from the files beside it.
  await decodes(firstUrl(server), { loads: 0 });
  for (const [name, { file, prints }] of Object.entries(quickStart.runs)) {
    await t.test(`the quick start ${name}`, async () => {
      const line = opened.page.waitForEvent("console", (message) => prints.test(message.text()));
      await Promise.all([line, opened.page.goto(firstUrl(server) + file.replace(".js", ".html"))]);
      opened.notices.console = opened.notices.console.filter((line) => !line.startsWith("log: "));
      expectQuiet();
    });
  }
});

test("a Vite build needs no configuration, works under any path, and gives the file's URL to a page that loads it", async (t) => {
  const input = ["index.html", "byUrl.html"].map((name) => join(project.folder, name));
  const underPath = { ...settings, base: "/some/path/", build: { rolldownOptions: { input } } };
  await build(underPath);
  const server = await preview(underPath);
  t.after(() => server.close());
  await decodes(firstUrl(server));
  await decodes(`${firstUrl(server)}byUrl.html`, { loadedBefore: 1 });
});

const types = (name: string) => `; require-trusted-types-for 'script'; trusted-types ${name}`;
const allowed = types("inspection-findings");

/** The sources of workers that each entry needs, by the page of the entry. */
const sources = { plain: "'self'", objects: "'self'", manual: "blob:", inline: "blob:" };

for (const [entry, source] of Object.entries(sources)) {
  test(`a worker decodes under a strict policy with trusted types, and no module is loaded twice, by ${entry}.html`, async (t) => {
    await decodes(`${await served(t, policyWith(source + allowed))}${entry}.html`, {
      loads: entry === "inline" ? 0 : 1,
      loadedBefore: entry === "manual" ? 1 : 0,
    });
  });
}

test("a worker runs in a page that is isolated from other origins", async (t) => {
  const headers = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
  await decodes(`${await served(t, headers)}plain.html`);
});

test("a worker runs inside a module worker if it is asked for, which otherwise decodes itself", async (t) => {
  const page = `${await served(t, policyWith("'self'"))}nested.html`;
  await decodes(`${page}?worker=true`);
  await decodes(page, { decodedIn: "page" });
  assert.equal(opened.page.workers().length, 1);
});

test("a package of another origin starts its worker by a script of the page's own", async (t) => {
  const network = await served(t, { "access-control-allow-origin": "*" });
  await decodes(`${await served(t)}network.html?worker=true&from=${network}`);
});

/** Entries, and policies that forbid the worker. */
const forbidding = [
  ["plain", "worker-src", `'none'${allowed}`],
  ["plain", "trusted-types", `'self'${types("'none'")}`],
  ["inline", "worker-src", `'none'${allowed}`],
];

for (const [entry, what, policy] of forbidding) {
  test(`a policy whose ${what} forbids the worker leaves a long inspection in the page, by ${entry}.html`, async (t) => {
    const page = `${await served(t, policyWith(policy))}${entry}.html`;
    const inPage = { decodedIn: "page", loads: entry === "inline" ? 0 : 1 } as const;
    await decodes(`${page}?worker=false`, inPage);
    await decodes(page, { ...inPage, isQuiet: false });
    const { error } = await resultAt(`${page}?worker=true`);
    assert.match(error, /no worker could be started.*worker-src/);
  });
}

test("a service worker that is a module has the whole package", async (t) => {
  assert.deepEqual(await resultAt(`${await served(t)}register.html`), { findings: findings.sentiment });
  expectQuiet();
});

test("the minimal example shows the counts, the partition that is chosen, and all findings in order, with its code", async (t) => {
  const findings = createFakeService({ scenario: "jittered" }).findings("sentiment");
  const textOf = ({ Sentiment, Topic, Extract }: any) => `${Topic.Text} (${Sentiment}): ${Extract.Text}`;
  const { page } = opened;
  await page.goto(`${await served(t)}node_modules/inspection-findings/www/examples/minimal/index.html`);
  await page.getByText(`${findings.length} findings, in the order of the partitions`).waitFor({ timeout: 30_000 });
  assert.deepEqual(await page.locator("tbody tr").allInnerTexts(), ["sentiment\t30\t6000", "topics\t40\t8000"]);
  assert.deepEqual(await page.locator("#findings li").allTextContents(), [
    ...findings.slice(0, 5).map(textOf),
    "and 5995 more",
  ]);
  await page.getByLabel("One partition").selectOption("29");
  await page.getByText(textOf(findings[5800])).waitFor();
  assert.deepEqual(await page.locator("#partition li").allTextContents(), [
    ...findings.slice(5800, 5805).map(textOf),
    "and 195 more",
  ]);
  const code = await page.locator("code").textContent();
  for (const name of ["getPartitionCounts(42", "getPartition(42", "getFindings(42"]) assert.ok(code?.includes(name));
  assert.doesNotMatch(String(code), /\.\.\//);
  expectQuiet();
});

/** Serves the project until the test ends, and returns its URL. */
async function served(t: TestContext, headers?: Record<string, string>) {
  const { url, close } = await serveFolder(project.folder, headers);
  t.after(close);
  return url;
}

/**
 * Opens a page that fetches the long inspection, and checks the findings, where they were decoded, how often the module was loaded, also before the
 * first call, and that there were no errors.
 */
async function decodes(
  url: string,
  {
    decodedIn = "worker",
    loads = 1,
    loadedBefore = 0,
    isQuiet = true,
  }: {
    decodedIn?: "page" | "worker";
    loads?: number;
    loadedBefore?: number;
    isQuiet?: boolean;
  } = {},
) {
  opened.notices.wasm = [];
  const asked = new URL(url);
  // On a busy machine the first calls may end before the worker is ready.
  asked.searchParams.set("times", decodedIn === "worker" ? "20" : "3");
  assert.deepEqual(await resultAt(asked.href), { findings: findings.sentiment, decodedIn, loadedBefore });
  if (isQuiet) expectQuiet();
  // It is loaded once at most, with its proper type.
  assert.deepEqual(opened.notices.wasm, Array(loads).fill("application/wasm"));
}

/** Expects that the page has reported nothing. */
function expectQuiet() {
  assert.deepEqual([...opened.notices.console, ...opened.notices.failures], []);
}

/** The header of a strict policy. */
function policyWith(workerSource: string) {
  const scripts = `script-src 'self' 'wasm-unsafe-eval'; worker-src ${workerSource}`;
  const policy = `default-src 'none'; connect-src 'self' ${service.baseUrl}; img-src data:; ${scripts}`;
  return { "content-security-policy": policy };
}

/** The result of a page's script. */
async function resultAt(url: string) {
  await opened.page.goto(url);
  return resultOf(opened.page).catch((cause) => {
    throw new Error(`${url} shows nothing: ${JSON.stringify(opened.notices)}`, { cause });
  });
}

/** A script that fetches the long inspection with the package under a name, if it has to import it. */
function fetching(name?: string) {
  return `
    ${name === undefined ? "" : `import { getFindings } from "${name}";`}
    const loadedBefore = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".wasm")).length;
    const parameters = new URLSearchParams(location.search);
    const worker = { true: true, false: false }[parameters.get("worker")];
    // Where the last body was decoded: a worker posts what it has made of one.
    let decodedIn = "page";
    globalThis.Worker = class extends Worker {
      constructor(...parameters) {
        super(...parameters);
        this.addEventListener("message", ({ data }) => { if (data?.packed !== undefined) decodedIn = "worker"; });
      }
    };
    async function fetchAll(times) {
      const findings = await getFindings(${longInspection}, "sentiment", { baseUrl: "${service.baseUrl}", worker });
      return decodedIn === "worker" || times <= 1 ? { findings, decodedIn, loadedBefore } : fetchAll(times - 1);
    }
    globalThis.result = fetchAll(Number(parameters.get("times") ?? 1)).catch((error) => ({ error: String(error) }));
    // In a module worker, the page waits for a message.
    if (typeof document === "undefined") globalThis.result.then((result) => postMessage(result));`;
}

function firstUrl({ resolvedUrls }: { resolvedUrls: import("vite").ResolvedServerUrls | null }) {
  const url = resolvedUrls?.local[0];
  assert.ok(url !== undefined, "Vite says where it serves");
  return url;
}
