/** The package in Node: installed from its tarball, through its own export condition, with the command. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { inRepository } from "../../../tools/repository.js";
import { blocksIn } from "../../docs/documents.js";
import { runNode } from "../../run-node.js";
import { installByNpm, makeProject } from "./project.js";
import { quickStart } from "./quick-start.js";
import { findings, startService } from "./service.js";

const service = await startService();
const project = makeProject(quickStart.files(service.baseUrl), installByNpm);
/** The folder of the installed package's built files. */
const dist = join(project.folder, "node_modules", "inspection-findings", "dist");

after(async () => {
  project.remove();
  await service.close();
});

/** A line that hides the others. */
const longLine = /.{500}/;

for (const [name, { file, prints }] of Object.entries(quickStart.runs)) {
  test(`the quick start ${name} runs in an empty project of Node`, async () => {
    assert.match(await outputOf(file), prints);
  });
}

test("the commands of the guide print and export what it says", async () => {
  const [{ code }] = blocksIn("www/docs/node.md").filter(({ language }) => language === "sh");
  const script = code.replace("https://service.example/cxi/", service.baseUrl);
  assert.notEqual(script, code);
  const { stdout, stderr } = await promisify(execFile)("sh", ["-e", "-c", script], { cwd: project.folder });
  assert.match(stdout, /^kind .*\nsentiment +3 +7\n.*^TopicGroup +findings/ms);
  assert.equal(stderr, "");
  // What the files have in them is proved by tests/unit/command.
  assert.match(readFileSync(join(project.folder, "findings.parquet"), "latin1"), /^PAR1.*RespondentId.*PAR1$/s);
});

/** Scripts, and what each prints. */
const printing: Record<string, [script: string, printed: unknown]> = {
  "manual works with the bytes of the module": [
    `import { readFile } from "node:fs/promises";
    import { getPartition, init } from "inspection-findings/manual";
    await init({ module: readFile(new URL(import.meta.resolve("inspection-findings/inspection_findings_bg.wasm"))) });
    print(await getPartition(42, "topics", 1, { baseUrl }));`,
    findings.topics.slice(2),
  ],
  "a redirect names the origin or the path that it leads to, without the rest of the URL": [
    `import { getPartition } from "inspection-findings";
    const destinations = [];
    for (const location of [
      "https://login.test/in?token=1", "https://name:password@login.test:8443", "//login.test/x//y", "/sign-in?return=/cxi/#here",
    ]) {
      const fetch = async () => new Response(null, { status: 302, headers: { location } });
      const { message } = await getPartition(42, "topics", 1, { baseUrl, fetch }).catch((error) => error);
      destinations.push(message.match(/: it leads to (.*)\\. If that is a page for signing in, the session has ended;/)[1]);
    }
    print(destinations);`,
    ["https://login.test", "https://login.test:8443", "//login.test", "/sign-in"],
  ],
  "forty parallel calls have one listener on a shared signal, because Node warns of more than ten": [
    `import { getEventListeners } from "node:events";
    import { FindingsClient } from "inspection-findings";
    const client = new FindingsClient({ baseUrl });
    const { signal } = new AbortController();
    const warnings = [];
    process.on("warning", ({ name }) => warnings.push(name));
    let most = 0;
    const look = () => (most = Math.max(most, getEventListeners(signal, "abort").length));
    await Promise.all(Array.from({ length: 40 }, () => client.getFindings(42, "topics", { signal, onProgress: look })));
    client.free();
    await new Promise(setImmediate);
    print({ most, left: getEventListeners(signal, "abort").length, warnings });`,
    { most: 1, left: 0, warnings: [] },
  ],
  "without Symbol.dispose the methods for using have the key that compiled code looks for": [
    `import { readFileSync, writeFileSync } from "node:fs";
    const without = "const Symbol = Object.setPrototypeOf((name) => globalThis.Symbol(name)," +
      "Object.create(globalThis.Symbol, { dispose: { value: undefined } }));";
    const inline = readFileSync(new URL(import.meta.resolve("inspection-findings/inline")), "utf8");
    writeFileSync("without-dispose.js", without + inline);
    const { FindingsClient, FindingsTable } = await import(process.cwd() + "/without-dispose.js");
    print([FindingsClient, FindingsTable].map(({ prototype }) =>
      [typeof prototype[Symbol.for("Symbol.dispose")], "undefined" in prototype]));`,
    Array(2).fill(["function", false]),
  ],
};

for (const [promise, [script, printed]] of Object.entries(printing)) {
  test(promise, async () => assert.deepEqual(await resultOf(script), printed));
}

/** Why a call fails: what happens before it, the code with the message, and the entry. */
const failures: Record<string, [before: string, words: RegExp, entry?: string]> = {
  "the service cannot be reached": [
    `Object.assign(options, { baseUrl: "http://127.0.0.1:2/", retries: 0 });`,
    /^network: partition counts of inspection 42 \(http:\S+42\): no response: connect ECONNREFUSED 127\.0\.0\.1:2$/,
  ],
  "the file of inline cannot be compiled": [
    `WebAssembly.compile = () => Promise.reject(new Error("no"));`,
    /^load: The inlined \.wasm file could not be loaded: no\.$/,
    "/inline",
  ],
  "WebAssembly memory cannot be allocated": [
    `const reason = "WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance";
    WebAssembly.instantiate = () => Promise.reject(new RangeError(reason));`,
    /^memory: .*raise the limit of virtual memory \(ulimit -v\), or run Node with --disable-wasm-trap-handler\.$/,
  ],
  "the process has no WebAssembly": [
    `Reflect.deleteProperty(globalThis, "WebAssembly");`,
    /^load: .*WebAssembly is turned off, as by --jitless/,
  ],
  "the engine is Hermes": [
    `globalThis.HermesInternal = {}; Reflect.deleteProperty(globalThis, "WebAssembly");`,
    /^load: Hermes, the JavaScript engine of React Native, has no WebAssembly/,
    "/inline",
  ],
};

for (const [why, [before, words, entry = ""]] of Object.entries(failures)) {
  test(`where ${why}, the error says what to do or why, and speaks of no page`, async () => {
    const text = await resultOf(`
      const options = { baseUrl };
      ${before}
      const { getFindings } = await import("inspection-findings${entry}");
      await getFindings(42, "topics", options).catch(({ code, message }) => print(code + ": " + message));`);
    assert.match(text, words);
    assert.doesNotMatch(text, /policy|browser/i);
  });
}

/** A URL that a page of https requests, or what a process of Node has. */
type Host = string | { env: Record<string, string>; versions?: Record<string, string> };

const HTTP_PROXY = "http://p.test";
const having = (...envs: Record<string, string>[]) => envs.map((env) => ({ env }));
/** Processes that are told to use the proxy. */
const told = (...versions: Record<string, string>[]) =>
  versions.map((versions) => ({ env: { HTTP_PROXY, NODE_USE_ENV_PROXY: "1" }, versions }));

/** What the error of a request without a response says: its words, and where they are due. */
const advices: Record<string, [words: string, ...hosts: Host[]]> = {
  "a proxy of the environment that this version of Node does not use, or is not told to use": [
    "NODE_USE_ENV_PROXY=1",
    ...having({ HTTP_PROXY }, { http_proxy: HTTP_PROXY }),
    ...told({ node: "20.20.2" }, { node: "22.20.0" }, { node: "23.11.0" }),
  ],
  "no proxy where there is none, none for the URL, or one that is used": [
    "",
    ...having({}, { HTTPS_PROXY: HTTP_PROXY }, { HTTP_PROXY, NODE_OPTIONS: "--use-env-proxy" }),
    ...told({ node: "22.21.0" }, { node: "24.0.0" }, { node: "20.0.0", deno: "2.5.0" }, { node: "20.0.0", bun: "1" }),
  ],
  "that Chrome may request an http URL of the local network for a page of https": [
    "allows the page to access the local network, other browsers do not",
    ...["http://10.0.0.7/", "http://192.168.1.9:8080/", "http://172.16.0.1/", "http://169.254.1.1/"],
    ...["http://[fd00::1]/", "http://[fe80::1]/", "http://nas.local/"],
  ],
  "that a page of https can request no other http URL": [
    "so the browser lets it request no http URL: use https in baseUrl",
    ...["http://service.test/", "http://localhost.test/", "http://127.0.0.test/"],
    ...["http://172.32.0.1/", "http://10.0.0.test/", "http://x.local.test/"],
  ],
  "that CORS may hide the response of an https URL, or of its own device, from a page": [
    "(CORS)",
    ...["https://service.test/", "http://localhost:1/", "http://127.0.0.1/"],
  ],
};

for (const [what, [words, ...hosts]] of Object.entries(advices)) {
  test(`an error without a response names ${what}`, async () => {
    const messages: string[] = await resultOf(`
      import { getPartition } from "inspection-findings";
      // Node 20 has none.
      delete globalThis.navigator;
      const { versions } = process;
      const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
      const messages = [];
      for (const host of ${JSON.stringify(hosts)}) {
        if (typeof host === "string") globalThis.location = new URL("https://app.test/");
        Object.assign(process.env, host.env);
        Object.defineProperty(process, "versions", { value: host.versions ?? versions, configurable: true });
        const baseUrl = host.env === undefined ? host : "http://service.test/";
        await getPartition(42, "topics", 1, { baseUrl, fetch, retries: 0 }).catch(({ message }) => messages.push(message));
        for (const name of Object.keys(host.env ?? {})) delete process.env[name];
      }
      print(messages);`);
    const known = Object.values(advices).flatMap(([words]) => words || []);
    const named = messages.map((message) => known.filter((words) => message.includes(words)).join());
    assert.deepEqual(named, Array(hosts.length).fill(words));
  });
}

test("inline has the exports of the main entry, and objects all but FindingsTable and the calls for tables", async () => {
  const [main, page, ...others] = await Promise.all(
    ["index", "objects", "objects-inline", "inline"].map((name) => import(join(dist, `${name}.js`))),
  );
  const expected = Object.keys(main).filter((name) => name !== "FindingsTable");
  assert.deepEqual([page, ...others].map(Object.keys), [expected, expected, Object.keys(main)]);
  const calls = Object.getOwnPropertyNames(page.FindingsClient.prototype);
  assert.equal(
    calls.join(" "),
    "constructor extend getPartitionCounts getPartition getFindings streamPartitions preload free",
  );
  const ofTables =
    /\/(?:live|arrow)\/|\/table\/(?:table|table-data|rows\/groups)\.ts$|\/table\/queries\/|earlier-table|table-calls/;
  for (const name of ["objects", "objects-inline", "objects-workerd"]) {
    const { sources }: { sources: string[] } = JSON.parse(readFileSync(inRepository("dist", `${name}.js.map`), "utf8"));
    assert.deepEqual(
      sources.filter((source) => ofTables.test(source)),
      [],
      name,
    );
  }
});

test("objects does in Node what the main entry does: a stream, a partial result, resume and errors", async () => {
  const [main, objects] = await resultOf(`
    import * as main from "inspection-findings";
    import * as objects from "inspection-findings/objects";
    async function resultsOf({ FindingsClient, FindingsError }) {
      const client = new FindingsClient({ baseUrl, retries: 0 });
      let refused = "/1";
      const fetchSome = (href, init) => (href.endsWith(refused) ? Promise.reject(new TypeError()) : fetch(href, init));
      const options = { failurePolicy: "collect", fetch: fetchSome };
      const partial = await client.getFindings(42, "topics", options).catch((error) => error);
      refused = "none";
      const missing = async () => new Response(null, { status: 404, headers: { "request-id": "7b3f" } });
      return {
        requestId: (await client.getPartition(42, "topics", 0, { fetch: missing }).catch((error) => error)).requestId,
        streamed: await Array.fromAsync(client.streamPartitions(42, "topics"), ({ index, findings }) => [index, findings]),
        partial: [partial instanceof FindingsError, partial.findings, partial.failures.map((failure) => failure.error.code)],
        resumed: await partial.resume(),
        from: (await client.getFindings(42, "topics", { from: null }).catch((error) => error)).message.split(";")[0],
      };
    }
    print([await resultsOf(main), await resultsOf(objects)]);`);
  assert.equal(main.requestId, "7b3f");
  assert.equal(main.from, "from does not apply to this call, only to loadTable and watchTable");
  assert.deepEqual(objects, main);
  assert.deepEqual(main.resumed, findings.topics);
});

test("console.log shows the size and the columns of a table, not its findings, and no more once it is freed", async () => {
  const [byteLength, whole, ofView, freed] = await resultOf(`
    import { inspect } from "node:util";
    import { FindingsClient } from "inspection-findings";
    const table = await new FindingsClient({ baseUrl }).loadTable(42, "topics");
    const { byteLength } = table;
    const logged = [table, { a: { b: { c: table.filter({ StringKey: -1 }) } } }].map((value) => inspect(value));
    table.free();
    print([byteLength, ...logged, inspect(table)]);`);
  assert.match(
    whole,
    /^FindingsTable \{\s+freed: false,\s+length: 7,\s+byteLength: \d+,\s+columns: \[\s+'VariableKey',/,
  );
  assert.ok(whole.includes(`byteLength: ${byteLength},`));
  assert.match(ofView, /c: FindingsTable \{\s+freed: false,\s+length: 0,/);
  assert.equal(freed, "FindingsTable { freed: true }");
  for (const { Comment } of findings.topics) assert.ok(!whole.includes(Comment));
});

test("an uncaught error shows the caller's line and no long line", async () => {
  const stderr = await failureOf(`
    import { getPartitionCounts } from "inspection-findings";
    async function callerOfThePackage() {
      await getPartitionCounts(42, { baseUrl, fetch: async () => new Response(null, { status: 410 }) });
    }
    await callerOfThePackage();`);
  assert.match(stderr, /^FindingsError: .* HTTP status 410\n +at callerOfThePackage \(.*:4:\d+\)$/m);
  assert.doesNotMatch(stderr, longLine);
});

// P40
test("the package installs nothing besides itself", () => {
  const installed = readdirSync(join(project.folder, "node_modules")).filter((name) => !name.startsWith("."));
  assert.deepEqual(installed, ["inspection-findings"]);
});

/** Code that bundlers look for, or cannot parse, and the only scripts that have it. */
const scripts: [code: RegExp | string, names: string[]][] = [
  // Metro cannot parse it.
  [/\bstatic\s*\{/, []],
  ['new URL("./inspection_findings_bg.wasm", import.meta.url)', ["index.js", "manual.js"]],
  ['new URL("./inspection_findings_objects_bg.wasm", import.meta.url)', ["objects.js"]],
  ['new Worker(new URL("./worker.js", import.meta.url), { type: "module" })', ["index.js", "objects.js"]],
  ["inspection_findings_bg.wasm?module", ["workerd.js"]],
  ["inspection_findings_objects_bg.wasm?module", ["objects-workerd.js"]],
  ["hyparquet", ["command-main.js"]],
];

for (const [code, expected] of scripts) {
  test(`${expected.join(" and ") || "no script"} has ${code}`, () => {
    const names = readdirSync(dist).filter((name) => name.endsWith(".js"));
    const having = names.filter((name) => readFileSync(join(dist, name), "utf8").split(code).length > 1);
    assert.deepEqual(having, expected);
  });
}

/** The value that a script prints. */
async function resultOf(script: string) {
  return JSON.parse(await outputOf(...evaluated(script)));
}

/** What Node prints before a script fails. */
async function failureOf(script: string) {
  const { code, stderr } = await outputOf(...evaluated(script)).catch((error) => error);
  assert.equal(code, 1);
  return String(stderr);
}

/** The parameters that run a script with `baseUrl` and `print`. */
function evaluated(script: string) {
  const known = `const baseUrl = "${service.baseUrl}", print = (value) => console.log(JSON.stringify(value));`;
  return ["--input-type=module", "--eval", known + script];
}

/** The output of a process in the project, which must end by itself without warnings. */
async function outputOf(...parameters: string[]) {
  const { stdout, stderr } = await runNode(parameters, { cwd: project.folder });
  assert.equal(stderr, "");
  return stdout;
}
