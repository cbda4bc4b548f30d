/** The package in Node: installed from its tarball, through its own export condition. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { runNode } from "../run-node.js";
import { installByNpm, makeProject } from "./project.js";
import { allFindings, pathsOf, startService } from "./service.js";

const service = await startService();
const project = makeProject({}, installByNpm);
/** The folder of the installed package's built files. */
const dist = join(project.folder, "node_modules", "inspection-findings", "dist");

after(async () => {
  project.remove();
  await service.close();
});

/** A line that hides the others. */
const longLine = /.{500}/;

test("all findings of both kinds arrive complete and in order", async () => {
  service.requests.length = 0;
  const found = await resultOf(`
    import { getFindings } from "inspection-findings";
    print(await Promise.all(["sentiment", "topics"].map((kind) => getFindings(42, kind, { baseUrl }))));`);
  assert.deepEqual(found, [allFindings("Sentiment"), allFindings("Topics")]);
  assert.deepEqual(service.requests.toSorted(), [...pathsOf(42, "Sentiment"), ...pathsOf(42, "Topics")].toSorted());
});

test("a call that insists on a worker says that Node has no web workers", async () => {
  const { code, message } = await resultOf(`
    import { getFindings } from "inspection-findings";
    await getFindings(42, "topics", { baseUrl, worker: true }).catch(({ code, message }) => print({ code, message }));`);
  assert.equal(code, "load");
  assert.match(message, /no web workers \(Node has none\): leave out the option worker/);
});

test("manual works with the bytes of the module", async () => {
  const found = await resultOf(`
    import { readFile } from "node:fs/promises";
    import { getPartition, init } from "inspection-findings/manual";
    await init({ module: readFile(new URL(import.meta.resolve("inspection-findings/inspection_findings_bg.wasm"))) });
    print(await getPartition(42, "topics", 1, { baseUrl }));`);
  assert.deepEqual(found, allFindings("Topics").slice(2));
});

/** Why the module cannot start: what happens before the first call, from which entry, and the code and the words of the error. @type {Record<string, [before: string, entry: string, code: string, words: RegExp]>} */
const hosts = {
  "the file of inline cannot be compiled": [
    `WebAssembly.compile = () => Promise.reject(new Error("no"));`,
    "/inline",
    "load",
    /^The inlined \.wasm file could not be loaded: no\.$/,
  ],
  "WebAssembly memory cannot be allocated": [
    `const reason = "WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance";
    WebAssembly.instantiate = () => Promise.reject(new RangeError(reason));`,
    "",
    "memory",
    /raise the limit of virtual memory \(ulimit -v\), or run Node with --disable-wasm-trap-handler\.$/,
  ],
  "the process has no WebAssembly": [
    `Reflect.deleteProperty(globalThis, "WebAssembly");`,
    "",
    "load",
    /WebAssembly is turned off, as by --jitless/,
  ],
  "the engine is Hermes": [
    `globalThis.HermesInternal = {}; Reflect.deleteProperty(globalThis, "WebAssembly");`,
    "/inline",
    "load",
    /^Hermes, the JavaScript engine of React Native, has no WebAssembly/,
  ],
};

for (const [why, [before, entry, expected, words]] of Object.entries(hosts)) {
  test(`where ${why}, the error says what to do, and speaks of no page`, async () => {
    const { code, message } = await resultOf(`
      ${before}
      const { getFindings } = await import("inspection-findings${entry}");
      await getFindings(42, "topics", { baseUrl }).catch(({ code, message }) => print({ code, message }));`);
    assert.equal(code, expected);
    assert.match(message, words);
    assert.doesNotMatch(message, /policy|browser/i);
  });
}

test("a redirect names the origin or the path that it leads to, without the rest of the URL", async () => {
  const destinations = {
    "https://login.test/in?token=1": "https://login.test",
    "https://name:password@login.test:8443": "https://login.test:8443",
    "//login.test/x//y": "//login.test",
    "/sign-in?return=/cxi/#here": "/sign-in",
  };
  const messages = await resultOf(`
    import { getPartition } from "inspection-findings";
    const messages = [];
    for (const location of ${JSON.stringify(Object.keys(destinations))}) {
      const fetch = async () => new Response(null, { status: 302, headers: { location } });
      await getPartition(42, "topics", 1, { baseUrl, fetch }).catch(({ message }) => messages.push(message));
    }
    print(messages);`);
  for (const [index, destination] of Object.values(destinations).entries()) {
    const expected = `: it leads to ${destination}. If that is a page for signing in, the session has ended;`;
    assert.ok(messages[index].includes(expected), messages[index]);
  }
});

test("a proxy of the environment that fetch does not use is named, and one that it uses is not", async () => {
  const messages = await resultOf(`
    import { getPartition } from "inspection-findings";
    const messages = [];
    for (const env of [{}, { HTTP_PROXY: "http://p.test" }, { http_proxy: "http://p.test" }, { HTTPS_PROXY: "http://p.test" },
      { HTTP_PROXY: "http://p.test", NODE_USE_ENV_PROXY: "1" }, { HTTP_PROXY: "http://p.test", NODE_OPTIONS: "--use-env-proxy" }]) {
      Object.assign(process.env, env);
      await getPartition(42, "topics", 1, { baseUrl: "http://127.0.0.1:9/", retries: 0 }).catch(({ message }) => messages.push(message));
      for (const name of Object.keys(env)) delete process.env[name];
    }
    print(messages);`);
  const named = messages.map((/** @type {string} */ message) => message.includes("NODE_USE_ENV_PROXY=1"));
  assert.deepEqual(named, [false, true, true, false, false, false]);
});

test("a proxy of the environment is named by each version of Node that does not use it, and by Deno and Bun never", async () => {
  const named = await resultOf(`
    import { getPartition } from "inspection-findings";
    const { node } = process.versions;
    // Node 20 has none.
    delete globalThis.navigator;
    Object.assign(process.env, { HTTP_PROXY: "http://p.test", NODE_USE_ENV_PROXY: "1" });
    const named = {};
    for (const versions of [{ node: "20.20.2" }, { node: "22.20.0" }, { node: "22.21.0" }, { node: "23.11.0" }, { node: "24.0.0" },
      { node: "20.0.0", deno: "2.5.0" }, { node: "20.0.0", bun: "1.3.0" }]) {
      Object.defineProperty(process, "versions", { value: versions, configurable: true });
      const { message } = await getPartition(42, "topics", 1, { baseUrl: "http://127.0.0.1:9/", retries: 0 }).catch((error) => error);
      named[Object.entries(versions).at(-1).join(" ")] = message.includes("NODE_USE_ENV_PROXY=1");
    }
    print(named);`);
  assert.deepEqual(named, {
    "node 20.20.2": true,
    "node 22.20.0": true,
    "node 22.21.0": false,
    "node 23.11.0": true,
    "node 24.0.0": false,
    "deno 2.5.0": false,
    "bun 1.3.0": false,
  });
});

test("a page of https is told when Chrome may request an http URL of the local network, and which to use elsewhere", async () => {
  const urls = [
    "10.0.0.7",
    "192.168.1.9:8080",
    "172.16.0.1",
    "172.32.0.1",
    "169.254.1.1",
    "[fd00::1]",
    "[fe80::1]",
    "nas.local",
    "10.0.0.test",
    "x.local.test",
  ];
  const messages = await resultOf(`
    import { getPartition } from "inspection-findings";
    globalThis.location = new URL("https://app.test/");
    const messages = [];
    for (const host of ${JSON.stringify(urls)}) {
      const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
      await getPartition(42, "topics", 1, { baseUrl: \`http://\${host}/\`, fetch, retries: 0 }).catch(({ message }) => messages.push(message));
    }
    print(messages);`);
  const named = messages.map((/** @type {string} */ message) =>
    message.includes("allows the page to access the local network"),
  );
  assert.deepEqual(named, [true, true, true, false, true, true, true, true, false, false]);
});

test("a page of https is told that it can request no http URL, except of its own device", async () => {
  const messages = await resultOf(`
    import { getPartition } from "inspection-findings";
    globalThis.location = new URL("https://app.test/");
    const messages = [];
    for (const url of ["http://service.test/", "https://service.test/", "http://localhost:1/", "http://127.0.0.1/", "http://localhost.test/", "http://127.0.0.test/"]) {
      const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
      await getPartition(42, "topics", 1, { baseUrl: url, fetch, retries: 0 }).catch(({ message }) => messages.push(message));
    }
    print(messages);`);
  const named = messages.map((/** @type {string} */ message) => message.includes("use https in baseUrl"));
  assert.deepEqual(named, [true, false, false, false, true, true]);
  for (const message of messages) assert.equal(message.includes("(CORS)"), !message.includes("use https"));
});

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
  for (const name of ["objects", "objects-inline", "objects-workerd"]) {
    const { sources } = JSON.parse(readFileSync(join(dist, `${name}.js.map`), "utf8"));
    const ofTables =
      /\/(?:live|arrow)\/|\/table\/(?:table|table-data|rows\/groups)\.ts$|\/table\/queries\/|earlier-table|table-calls/;
    assert.deepEqual(
      sources.filter((/** @type {string} */ source) => ofTables.test(source)),
      [],
      name,
    );
  }
});

test("objects does in Node what the main entry does: counts, a partition, all findings, a stream, resume and errors", async () => {
  const results = await resultOf(`
    import * as main from "inspection-findings";
    import * as objects from "inspection-findings/objects";
    async function resultsOf({ FindingsClient, FindingsError, getFindings }) {
      const client = new FindingsClient({ baseUrl, retries: 0 });
      const streamed = [];
      for await (const { index, findings } of client.streamPartitions(42, "topics")) streamed.push(index, findings);
      let isRefused = true;
      const fetchTwice = (href, init) =>
        isRefused && href.endsWith("/1") ? Promise.reject(new TypeError("refused")) : fetch(href, init);
      const partial = await client
        .getFindings(42, "topics", { failurePolicy: "collect", fetch: fetchTwice })
        .catch((error) => error);
      isRefused = false;
      const missing = partial.failures.map(({ partitionIndex, error }) => [partitionIndex, error.code]);
      return {
        streamed,
        counts: await client.getPartitionCounts(42),
        partition: await client.getPartition(42, "sentiment", 0),
        all: await getFindings(42, "sentiment", { baseUrl }),
        partial: [partial instanceof FindingsError, partial.code, partial.findings, missing],
        resumed: await partial.resume(),
        from: (await client.getFindings(42, "topics", { from: null }).catch((error) => error)).message.split(";")[0],
      };
    }
    print([await resultsOf(main), await resultsOf(objects)]);`);
  const [main, objects] = results;
  assert.equal(main.from, "from does not apply to this call, only to loadTable and watchTable");
  assert.deepEqual(objects, main);
  assert.deepEqual(main.resumed, main.streamed.filter(Array.isArray).flat());
});

test("no error quotes the value of a header", async () => {
  const secret = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0";
  const errors = await resultOf(`
    import { inspect } from "node:util";
    import { getPartition } from "inspection-findings";
    const secret = "${secret}";
    const wrong = ["\\n", "\\r", "\\0", "\\u20ac", "\\ud800", "\\x01"].map((end) => ({ authorization: secret + end + "x" }));
    const errors = [];
    for (const headers of [...wrong, { "content-length": secret }, { [secret + " "]: "x" }, [[secret]], [secret], secret]) {
      for (const given of [headers, () => headers]) {
        const error = await getPartition(42, "topics", 1, { baseUrl, headers: given, retries: 0 }).catch((error) => error);
        errors.push({ isError: error instanceof Error, text: inspect(error, { depth: 9, showHidden: true }) });
      }
    }
    print(errors);`);
  assert.equal(errors.length, 22);
  for (const { isError, text } of errors) {
    assert.equal(isError, true);
    assert.doesNotMatch(text, new RegExp(secret));
  }
});

test("forty parallel calls and streams have one listener on a shared signal, because Node warns of more than ten", async () => {
  const listeners = await resultOf(`
    import { getEventListeners } from "node:events";
    import { FindingsClient } from "inspection-findings";
    const client = new FindingsClient({ baseUrl });
    const { signal } = new AbortController();
    const warnings = [];
    process.on("warning", ({ name }) => warnings.push(name));
    let most = 0;
    const look = () => (most = Math.max(most, getEventListeners(signal, "abort").length));
    const stream = async () => {
      for await (const _ of client.streamPartitions(42, "topics", { signal })) look();
    };
    const call = () => client.getFindings(42, "topics", { signal, onProgress: look });
    await Promise.all(Array.from({ length: 40 }, () => [call(), stream()]).flat());
    client.free();
    await new Promise(setImmediate);
    print({ most, left: getEventListeners(signal, "abort").length, warnings });`);
  assert.deepEqual(listeners, { most: 1, left: 0, warnings: [] });
});

test("the error of a service that cannot be reached names the URL and the reason, and speaks of no page", async () => {
  const { origin, error } = await resultOf(`
    import { createServer } from "node:net";
    import { getPartitionCounts } from "inspection-findings";
    const server = createServer();
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const origin = "127.0.0.1:" + server.address().port;
    await new Promise((resolve) => server.close(resolve));
    const call = getPartitionCounts(42, { baseUrl: "http://" + origin, retries: 0 });
    await call.catch(({ code, message, url }) => print({ origin, error: { code, message, url } }));`);
  const url = `http://${origin}/Findings/42`;
  const message = `partition counts of inspection 42 (${url}): no response: connect ECONNREFUSED ${origin}`;
  assert.deepEqual(error, { code: "network", url, message });
});

test("console.log shows the size and the columns of a table, also once it is freed, and no finding", async () => {
  const { byteLength, logged } = await resultOf(`
    import { inspect } from "node:util";
    import { FindingsClient } from "inspection-findings";
    const live = new FindingsClient({ baseUrl }).watchTable(42, "topics");
    const table = await live.done;
    const view = table.filter({ StringKey: -1 });
    const { byteLength } = table;
    const logged = [table, view, live.getSnapshot().table, { a: { b: { c: table } } }].map((value) => inspect(value));
    table.free();
    print({ byteLength, logged: [...logged, inspect(table)] });`);
  const [whole, view, ofSnapshot, nested, freed] = logged;
  const begin = /^FindingsTable \{\s+freed: false,\s+length: 7,\s+byteLength: \d+,\s+columns: \[\s+'VariableKey',/;
  assert.match(whole, begin);
  assert.ok(whole.includes(`byteLength: ${byteLength},`));
  assert.match(view, /^FindingsTable \{\s+freed: false,\s+length: 0,/);
  assert.equal(ofSnapshot.replace(/byteLength: \d+/, ""), whole.replace(/byteLength: \d+/, ""));
  assert.match(nested, /c: FindingsTable \{/);
  assert.equal(freed, "FindingsTable { freed: true }");
  const comments = new Set(allFindings("Topics").map(({ Comment }) => Comment));
  for (const comment of comments) assert.ok(logged.every((/** @type {string} */ text) => !text.includes(comment)));
});

test("without Symbol.dispose the methods for using have the key that compiled code looks for", async () => {
  const without = `const Symbol = Object.setPrototypeOf(
    (name) => globalThis.Symbol(name), Object.create(globalThis.Symbol, { dispose: { value: undefined } }));`;
  const copy = join(project.folder, "without-dispose.js");
  writeFileSync(copy, without + readFileSync(join(dist, "inline.js"), "utf8"));
  const { FindingsClient, FindingsTable } = await import(copy);
  for (const { prototype } of [FindingsClient, FindingsTable]) {
    assert.equal(typeof prototype[Symbol.for("Symbol.dispose")], "function");
    assert.ok(!("undefined" in prototype));
  }
});

test("the evaluation of an entry makes no error, whose position would take another parse of the whole script", async () => {
  const made = await resultOf(`
    const made = [];
    for (const name of ["Error", "TypeError", "RangeError"]) {
      const construct = (original, parameters) => (made.push(name), Reflect.construct(original, parameters));
      const apply = (original, _, parameters) => construct(original, parameters);
      globalThis[name] = new Proxy(globalThis[name], { construct, apply });
    }
    for (const entry of ["", "/objects", "/objects/inline", "/manual"]) await import("inspection-findings" + entry);
    print(made);`);
  assert.deepEqual(made, []);
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

test("with source maps, an error shows the line of the package's source", async () => {
  const stderr = await failureOf(
    `import { FindingsClient } from "inspection-findings";
    const table = await new FindingsClient({ baseUrl }).loadTable(42, "topics");
    table.free();
    print(table.length);`,
    "--enable-source-maps",
  );
  assert.match(stderr, /throw new TypeError\("this FindingsTable has been freed"\);/);
  assert.match(stderr, /src\/js\/table\/table\.ts:\d+:\d+/);
});

test("no script has a static block, which Metro cannot parse", () => {
  for (const name of readdirSync(dist).filter((name) => name.endsWith(".js"))) {
    assert.doesNotMatch(readFileSync(join(dist, name), "utf8"), /\bstatic\s*\{/, name);
  }
});

test("index, objects and manual name files beside them as every bundler looks for them", () => {
  const scripts = readdirSync(dist).filter((name) => name.endsWith(".js"));
  const having = (/** @type {string} */ code) =>
    scripts.filter((name) => readFileSync(join(dist, name), "utf8").includes(code));
  assert.deepEqual(having('new URL("./inspection_findings_bg.wasm", import.meta.url)'), ["index.js", "manual.js"]);
  assert.deepEqual(having('new URL("./inspection_findings_objects_bg.wasm", import.meta.url)'), ["objects.js"]);
  const pages = ["index.js", "objects.js"];
  assert.deepEqual(having('new Worker(new URL("./worker.js", import.meta.url), { type: "module" })'), pages);
});

test("each source map leads to sources that the package contains", () => {
  for (const name of readdirSync(dist).filter((name) => name.endsWith(".map"))) {
    const { sources } = JSON.parse(readFileSync(join(dist, name), "utf8"));
    assert.notEqual(sources.length, 0, name);
    for (const source of sources) assert.ok(existsSync(join(dist, source)), `${source} of ${name}`);
  }
});

test("the package installs nothing besides itself", () => {
  const installed = readdirSync(join(project.folder, "node_modules")).filter((name) => !name.startsWith("."));
  assert.deepEqual(installed, ["inspection-findings"]);
});

/**
 * The value that a script prints.
 * @param {string} script
 */
async function resultOf(script) {
  return JSON.parse(await outputOf(...evaluated(script)));
}

/**
 * What Node prints before a script fails.
 * @param {string} script
 * @param {...string} options
 */
async function failureOf(script, ...options) {
  const error = await outputOf(...options, ...evaluated(script)).then(
    () => assert.fail("it should fail"),
    (error) => error,
  );
  assert.equal(error.code, 1);
  return String(error.stderr);
}

/**
 * The parameters that run a script with `baseUrl` and `print`.
 * @param {string} script
 */
function evaluated(script) {
  const known = `const baseUrl = "${service.baseUrl}", print = (value) => console.log(JSON.stringify(value));`;
  return ["--input-type=module", "--eval", known + script];
}

/**
 * The output of a process in the project, which must end by itself without warnings.
 * @param {...string} parameters
 */
async function outputOf(...parameters) {
  const { stdout, stderr } = await runNode(parameters, { cwd: project.folder });
  assert.equal(stderr, "");
  return stdout;
}
