/** The package in pages: from Vite's dev server, from a Vite build, and from a plain static server with no bundler at all. */

import assert from "node:assert/strict";
import process from "node:process";
import { after, afterEach, beforeEach, test } from "node:test";
import { createFakeService } from "inspection-findings/testing";
import { build, createServer, preview } from "vite";
import { newPage, resultOf, startBrowser } from "./page.js";
import { html, makeProject } from "./project.js";
import { quickStart } from "./quick-start.js";
import { allFindings, longFindings, longInspection, pathsOf, refusedInspection, startService } from "./service.js";
import { serveFolder } from "./static-server.js";

let opened: Awaited<ReturnType<typeof newPage>>;

const service = await startService();
const browser = await startBrowser();
const dist = "./node_modules/inspection-findings/dist";
/** The scripts of pages, by the name of the page. */
const scripts = {
  index: retrieval("inspection-findings"),
  plain: retrieval(`${dist}/index.js`),
  nested: `
    const worker = new Worker("./plain.js" + location.search, { type: "module" });
    globalThis.result = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });
    globalThis.result.catch(() => {});`,
  network: `
    const from = new URLSearchParams(location.search).get("from");
    const { FindingsError, getFindings } = await import(from + "node_modules/inspection-findings/dist/index.js");
    ${retrieval()}`,
  manual: `
    import { init } from "${dist}/manual.js";
    await init({ module: new URL("${dist}/inspection_findings_bg.wasm", import.meta.url) });
    ${retrieval(`${dist}/manual.js`)}`,
  inline: retrieval(`${dist}/inline.js`),
  objects: retrieval(`${dist}/objects.js`),
  register: `
    await navigator.serviceWorker.register("./service-worker.js", { type: "module" });
    const { active } = await navigator.serviceWorker.ready;
    globalThis.result = new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => resolve(data);
      active.postMessage("retrieve", [port2]);
    });`,
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
  service.requests.length = 0;
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
  await retrievesQuietly(firstUrl(server), { loads: 0 });
  // By the text of the script: the development server has moved the package away from the files beside it.
  await decodesIn("worker", `${firstUrl(server)}?long`);
  for (const [name, { file, prints }] of Object.entries(quickStart.runs)) {
    await t.test(`the quick start ${name}`, async () => {
      const line = opened.page.waitForEvent("console", (message) => prints.test(message.text()));
      await Promise.all([line, opened.page.goto(firstUrl(server) + file.replace(".js", ".html"))]);
      assert.deepEqual(
        [...opened.notices.console.filter((line) => !line.startsWith("log: ")), ...opened.notices.failures],
        [],
      );
    });
  }
});

test("a Vite build needs no configuration, and works under any path", async (t) => {
  const underPath = { ...settings, base: "/some/path/" };
  await build(underPath);
  const server = await preview(underPath);
  t.after(() => server.close());
  await retrievesQuietly(firstUrl(server));
  await decodesIn("worker", `${firstUrl(server)}?long`);
});

/** What pages need of a plain static server: the name of the page, and the headers of every response. */
const pages: Record<string, [page: string, headers?: Record<string, string>]> = {
  "a module script is enough, under a strict policy": ["plain.html", policyWith("'self'")],
  "inline needs no other file, under a strict policy": ["inline.html", policyWith("'none'")],
  "manual works with the URL of the module": ["manual.html"],
  "a worker runs inside a module worker": ["nested.html?worker"],
  "a worker runs in a page that is isolated from other origins": [
    "plain.html?worker",
    { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" },
  ],
};

for (const [promise, [page, headers]] of Object.entries(pages)) {
  test(promise, async (t) => {
    const [loadedBefore, loads] = [page.startsWith("manual") ? 1 : 0, page.startsWith("inline") ? 0 : 1];
    await retrievesQuietly((await served(t, headers)) + page, { loadedBefore, loads });
  });
}

test("a package of another origin starts its worker by a script of the page's own", async (t) => {
  const network = await served(t, { "access-control-allow-origin": "*" });
  await retrievesQuietly(`${await served(t)}network.html?worker&from=${network}`);
});

test("a service worker that is a module has the whole package", async (t) => {
  assert.deepEqual(await resultAt(`${await served(t)}register.html`), { findings: allFindings("Sentiment") });
  expectQuiet();
});

test("the minimal example draws the ten largest topic groups of all findings, without a warning", async (t) => {
  const findings = createFakeService({ scenario: "jittered" }).findings("sentiment");
  const groups = Object.values(Object.groupBy(findings, ({ TopicGroup }) => String(TopicGroup)));
  const largest = groups.map((group = []) => group.length).sort((one, other) => other - one);
  const { page } = opened;
  await page.goto(`${await served(t)}node_modules/inspection-findings/www/examples/minimal/index.html`);
  await page.getByText(`All findings have arrived: ${findings.length} findings`).waitFor({ timeout: 30_000 });
  assert.deepEqual((await page.locator(".count").allTextContents()).map(Number), largest.slice(0, 10));
  assert.ok(((await page.locator(".bar").first().boundingBox())?.width ?? 0) > 100);
  assert.equal(await page.getByRole("progressbar").evaluate((bar) => (bar as any).position), 1);
  expectQuiet();
});

const types = (name: string) => `; require-trusted-types-for 'script'; trusted-types ${name}`;
const allowed = types("inspection-findings");

/** Entries and policies under which a worker decodes, by the page of the entry. */
const allowing = {
  plain: `'self'${allowed}`,
  objects: `'self'${allowed}`,
  manual: `blob:${allowed}`,
  inline: `blob:${allowed}`,
};

for (const [entry, policy] of Object.entries(allowing)) {
  test(`a worker decodes a long inspection under a strict policy with trusted types, by ${entry}.html`, async (t) => {
    await decodesIn("worker", `${await served(t, policyWith(policy))}${entry}.html?long`);
    expectQuiet();
  });
}

/** Entries, and policies that forbid the worker. */
const forbidding = [
  ["plain", "worker-src", `'none'${allowed}`],
  ["plain", "trusted-types", `'self'${types("'none'")}`],
  ["inline", "worker-src", `'none'${allowed}`],
];

for (const [entry, what, policy] of forbidding) {
  test(`a policy whose ${what} forbids the worker leaves a long inspection in the page, by ${entry}.html`, async (t) => {
    const page = `${await served(t, policyWith(policy))}${entry}.html?long`;
    await decodesIn("page", `${page}&worker=false&times=1`);
    expectQuiet();
    await decodesIn("page", `${page}&times=3`);
    const { error } = await resultAt(`${page}&worker=true`);
    assert.match(error, /no worker could be started.*worker-src/);
  });
}

test("a worker of the caller's own decodes a long inspection itself", async (t) => {
  await decodesIn("page", `${await served(t, policyWith("'self'"))}nested.html?long&times=3`);
  assert.equal(opened.page.workers().length, 1);
});

/** Serves the project until the test ends, and returns its URL. */
async function served(t: import("node:test").TestContext, headers?: Record<string, string>) {
  const { url, close } = await serveFolder(project.folder, headers);
  t.after(close);
  return url;
}

/** Expects that the page has reported nothing. */
function expectQuiet() {
  assert.deepEqual([...opened.notices.console, ...opened.notices.failures], []);
}

/** Opens a page that retrieves everything, and checks the result and that there were no errors. */
async function retrievesQuietly(
  url: string,
  { loadedBefore = 0, loads = 1 }: { loadedBefore?: number; loads?: number } = {},
) {
  const { loadedBefore: loaded, ...result } = await resultAt(url);
  assert.equal(opened.page.workers().length > 0, url.includes("?worker"), "a worker runs if one is asked for");
  assert.deepEqual(result, {
    sentiment: allFindings("Sentiment"),
    topics: allFindings("Topics"),
    refusal: { typed: true, code: "service", messages: ["The inspection is being analysed."] },
  });
  assert.equal(loaded, loadedBefore, "importing the package loads no module");
  const asked = [...pathsOf(42, "Sentiment"), ...pathsOf(42, "Topics"), `/cxi/Findings/${refusedInspection}`];
  assert.deepEqual(service.requests.toSorted(), asked.toSorted());
  expectQuiet();
  assert.deepEqual(
    opened.notices.wasm.map(({ type }) => type),
    Array(loads).fill("application/wasm"),
    "the module is loaded at most once, with its proper type",
  );
}

/** Opens a page that retrieves the long inspection, and checks where its findings were decoded. */
async function decodesIn(decodedIn: "page" | "worker", url: string) {
  assert.deepEqual(await resultAt(url), { decodedIn, findings: longFindings("Sentiment") });
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

/** A script that retrieves everything with the package under a name, if it has to import it. */
function retrieval(name?: string) {
  return `
    ${name === undefined ? "" : `import { FindingsError, getFindings } from "${name}";`}
    const parameters = new URLSearchParams(location.search);
    const worker = parameters.has("worker") ? parameters.get("worker") !== "false" : undefined;
    const options = { baseUrl: "${service.baseUrl}", worker };
    // Where the last body was decoded: a worker posts what it has made of one.
    let decodedIn = "page";
    globalThis.Worker = class extends Worker {
      constructor(...parameters) {
        super(...parameters);
        this.addEventListener("message", ({ data }) => { if (data?.packed !== undefined) decodedIn = "worker"; });
      }
    };
    async function retrieveLong(times = Number(parameters.get("times") ?? 20)) {
      const findings = await getFindings(${longInspection}, "sentiment", options);
      // On a busy machine the first calls may end before the worker is ready.
      return decodedIn === "worker" || times === 1 ? { findings, decodedIn } : retrieveLong(times - 1);
    }
    async function retrieve() {
      const loadedBefore = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".wasm")).length;
      const [sentiment, topics, refusal] = await Promise.all([
        getFindings(42, "sentiment", options),
        getFindings(42, "topics", options),
        getFindings(${refusedInspection}, "topics", options).catch((error) => ({
          typed: error instanceof FindingsError,
          code: error.code,
          messages: error.messages,
        })),
      ]);
      return { loadedBefore, sentiment, topics, refusal };
    }
    globalThis.result = parameters.has("long") ? retrieveLong().catch((error) => ({ error: String(error) })) : retrieve();
    globalThis.result.catch(() => {});
    // In a module worker, the page waits for a message.
    if (typeof document === "undefined") globalThis.result.then((result) => postMessage(result));`;
}

function firstUrl({ resolvedUrls }: { resolvedUrls: import("vite").ResolvedServerUrls | null }) {
  const url = resolvedUrls?.local[0];
  assert.ok(url !== undefined, "Vite says where it serves");
  return url;
}
