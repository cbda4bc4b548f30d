/** The package in Node: installed from its tarball, through its own export condition. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";
import { installByNpm, makeProject } from "./project.js";
import { allFindings, pathsOf, refusedInspection, startService } from "./service.js";

/** @type {Awaited<ReturnType<typeof startService>>} */
let service;
/** @type {ReturnType<typeof makeProject>} */
let project;
/** The folder of the installed package. */
let installed = "";

before(async () => {
  service = await startService();
  project = makeProject(
    {
      "retrieve.js": `
      import { getFindings } from "inspection-findings";
      const [baseUrl, kind] = process.argv.slice(2);
      console.log(JSON.stringify(await getFindings(42, kind, { baseUrl })));`,
      "fail.js": `
      import { FindingsClient, FindingsError } from "inspection-findings";
      const [baseUrl, key, refused] = process.argv.slice(2);
      const client = new FindingsClient({ baseUrl });
      const error = await client.getFindings(BigInt(refused), "topics").catch((error) => error);
      const counts = await client.getPartitionCounts(Number(key));
      client.free();
      console.log(JSON.stringify({ typed: error instanceof FindingsError, code: error.code, messages: error.messages, counts }));`,
      "slim.js": `
      import { readFile } from "node:fs/promises";
      import { getPartition, init } from "inspection-findings/slim";
      await init(await readFile(new URL(import.meta.resolve("inspection-findings/inspection_findings_bg.wasm"))));
      console.log(JSON.stringify(await getPartition(42, "topics", 1, { baseUrl: process.argv[2] })));`,
      "secrets.js": `
      import { inspect } from "node:util";
      import { getPartition } from "inspection-findings";
      const [baseUrl, secret] = process.argv.slice(2);
      const wrong = ["\\n", "\\r", "\\0", "\\u20ac", "\\ud800", "\\x01"].map((end) => ({ authorization: secret + end + "x" }));
      const errors = [];
      for (const headers of [...wrong, { "content-length": secret }, { [secret + " "]: "x" }, [[secret]], [secret], secret]) {
        for (const given of [headers, () => headers]) {
          const error = await getPartition(42, "topics", 1, { baseUrl, headers: given, retries: 0 }).catch((error) => error);
          errors.push({ isError: error instanceof Error, text: inspect(error, { depth: 9, showHidden: true }) });
        }
      }
      console.log(JSON.stringify(errors));`,
      "listeners.js": `
      import { getEventListeners } from "node:events";
      import { FindingsClient } from "inspection-findings";
      const [baseUrl] = process.argv.slice(2);
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
      console.log(JSON.stringify({ most, left: getEventListeners(signal, "abort").length, warnings }));`,
      "unreachable.js": `
      import { createServer } from "node:net";
      import { getPartitionCounts } from "inspection-findings";
      const server = createServer();
      await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address();
      await new Promise((resolve) => server.close(resolve));
      const baseUrl = "http://127.0.0.1:" + port + "/";
      const error = await getPartitionCounts(42, { baseUrl, retries: 0 }).catch((error) => error);
      console.log(JSON.stringify({ code: error.code, message: error.message, url: error.url, baseUrl }));`,
      "uncaught.js": `
      import { getPartitionCounts } from "inspection-findings";
      async function callerOfThePackage() {
        await getPartitionCounts(42, { baseUrl: process.argv[2], fetch: async () => new Response(null, { status: 410 }) });
      }
      await callerOfThePackage();`,
      "mapped.js": `
      import { FindingsClient } from "inspection-findings";
      const table = await new FindingsClient({ baseUrl: process.argv[2] }).loadTable(42, "topics");
      table.free();
      console.log(table.length);`,
      "logged.js": `
      import { inspect } from "node:util";
      import { FindingsClient } from "inspection-findings";
      const live = new FindingsClient({ baseUrl: process.argv[2] }).watchTable(42, "topics");
      const table = await live.done;
      const view = table.filter({ StringKey: -1 });
      const { byteLength } = table;
      const logged = [table, view, live.getSnapshot().table, { a: { b: { c: table } } }].map((value) => inspect(value));
      table.free();
      console.log(JSON.stringify({ byteLength, logged: [...logged, inspect(table)] }));`,
      "dispose.js": `
      import { readFileSync, rmSync, writeFileSync } from "node:fs";
      const entry = new URL(import.meta.resolve("inspection-findings/inline"));
      const copy = new URL("without-dispose.js", entry);
      const without = "const Symbol = Object.create(globalThis.Symbol, { dispose: { value: undefined } });";
      writeFileSync(copy, without + readFileSync(entry, "utf8"));
      try {
        const { FindingsClient, FindingsTable } = await import(copy);
        const disposes = ({ prototype }) => [typeof prototype[Symbol.for("Symbol.dispose")], "undefined" in prototype];
        console.log(JSON.stringify([FindingsClient, FindingsTable].map(disposes)));
      } finally {
        rmSync(copy);
      }`,
      "inline.js": `
      import { getFindings } from "inspection-findings/inline";
      const [baseUrl] = process.argv.slice(2);
      getFindings(42, "topics", { baseUrl }).then((findings) => console.log(JSON.stringify(findings)));`,
      "decompress.js": `
      const [baseUrl, known] = process.argv.slice(2);
      const { DecompressionStream: own } = globalThis;
      globalThis.DecompressionStream = known === "nothing" ? undefined : class {
        constructor(format) {
          if (format !== known) throw new TypeError("unknown format");
          return new own(format);
        }
      };
      const { getFindings } = await import("inspection-findings/inline");
      const show = (result) => console.log(JSON.stringify(result));
      getFindings(42, "topics", { baseUrl }).then(show, ({ code, message }) => show({ code, message }));`,
      "broken.js": `
      import { FindingsError, getFindings } from "inspection-findings/inline";
      WebAssembly.compile = () => Promise.reject(new Error("no"));
      const error = await getFindings(42, "topics", { baseUrl: "http://127.0.0.1/" }).catch((error) => error);
      console.log(JSON.stringify({ code: error.code, message: error.message }));`,
      "import.js": `
      globalThis.fetch = () => { throw new Error("Importing must fetch nothing."); };
      await import("inspection-findings");
      await import("inspection-findings/slim");
      await import("inspection-findings/inline");
      console.log(JSON.stringify("imported"));`,
    },
    installByNpm,
  );
  installed = join(project.folder, "node_modules", "inspection-findings");
});

after(async () => {
  project?.remove();
  await service?.close();
});

for (const [kind, ofService] of /** @type {const} */ ([
  ["sentiment", "Sentiment"],
  ["topics", "Topics"],
])) {
  test(`all ${kind} findings arrive complete and in order`, async () => {
    service.requests.length = 0;
    assert.deepEqual(await resultOf("retrieve.js", service.baseUrl, kind), allFindings(ofService));
    assert.deepEqual(service.requests.toSorted(), pathsOf(42, ofService).toSorted());
  });
}

test("a service error is a typed error, and the client stays usable", async () => {
  const { counts, ...error } = await resultOf("fail.js", service.baseUrl, "42", String(refusedInspection));
  assert.deepEqual(error, { typed: true, code: "service", messages: ["The inspection is being analysed."] });
  assert.deepEqual(counts, { sentiment: { partitions: 3, findings: 7 }, topics: { partitions: 2, findings: 7 } });
});

test("slim works with the bytes of the module", async () => {
  assert.deepEqual(await resultOf("slim.js", service.baseUrl), allFindings("Topics").slice(2));
});

test("inline works in Node, also as CommonJS of one file by esbuild", async () => {
  const options = { absWorkingDir: project.folder, entryPoints: ["inline.js"], bundle: true, outfile: "inline.cjs" };
  await build({ ...options, platform: "node", format: "cjs", logLevel: "error" });
  for (const name of ["inline.js", "inline.cjs"]) {
    assert.deepEqual(await resultOf(name, service.baseUrl), allFindings("Topics"));
  }
});

test("inline works in engines that decompress nothing without the header of zlib", async () => {
  assert.deepEqual(await resultOf("decompress.js", service.baseUrl, "deflate"), allFindings("Topics"));
});

test("inline says which browsers it needs where nothing is decompressed", async () => {
  const { code, message } = await resultOf("decompress.js", service.baseUrl, "nothing");
  assert.equal(code, "load");
  for (const part of ["DecompressionStream", "Chrome 80", "Firefox 113", "Safari 16.4"]) {
    assert.ok(message.includes(part), message);
  }
});

test("the load error of inline speaks of no file", async () => {
  const { code, message } = await resultOf("broken.js");
  assert.equal(code, "load");
  assert.match(message, /'wasm-unsafe-eval'\.$/);
  assert.doesNotMatch(message, /inspection_findings_bg/);
});

test("inline has the exports of the main entry", async () => {
  const installed = join(project.folder, "node_modules", "inspection-findings", "dist");
  const [main, inline] = await Promise.all(["index", "inline"].map((name) => import(join(installed, `${name}.js`))));
  assert.deepEqual(Object.keys(inline), Object.keys(main));
});

test("no error quotes the value of a header", async () => {
  const secret = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0";
  const errors = await resultOf("secrets.js", service.baseUrl, secret);
  assert.equal(errors.length, 22);
  for (const { isError, text } of errors) {
    assert.equal(isError, true);
    assert.doesNotMatch(text, new RegExp(secret));
  }
});

test("forty parallel calls and streams have one listener on a shared signal, because Node warns of more than ten", async () => {
  assert.deepEqual(await resultOf("listeners.js", service.baseUrl), { most: 1, left: 0, warnings: [] });
});

test("the error of a service that cannot be reached names the URL and the reason, and speaks of no page", async () => {
  const { baseUrl, ...error } = await resultOf("unreachable.js");
  const url = `${baseUrl}Findings/42`;
  assert.deepEqual(error, {
    code: "network",
    url,
    message: `partition counts of inspection 42 (${url}): no response: connect ECONNREFUSED ${new URL(url).host}`,
  });
});

test("console.log shows the size and the columns of a table, also once it is freed, and no finding", async () => {
  const { byteLength, logged } = await resultOf("logged.js", service.baseUrl);
  const whole = logged[0];
  assert.match(
    whole,
    /^FindingsTable \{\s+freed: false,\s+length: 7,\s+byteLength: \d+,\s+columns: \[\s+'VariableKey',/,
  );
  assert.ok(whole.includes(`byteLength: ${byteLength},`));
  assert.match(logged[1], /^FindingsTable \{\s+freed: false,\s+length: 0,/);
  assert.equal(logged[2].replace(/byteLength: \d+/, ""), whole.replace(/byteLength: \d+/, ""));
  assert.match(logged[3], /c: FindingsTable \{/);
  assert.equal(logged[4], "FindingsTable { freed: true }");
  const comments = new Set(allFindings("Topics").map(({ Comment }) => Comment));
  for (const comment of comments) assert.ok(logged.every((/** @type {string} */ text) => !text.includes(comment)));
});

test("without Symbol.dispose the methods for using have the key that compiled code looks for", async () => {
  assert.deepEqual(await resultOf("dispose.js"), [
    ["function", false],
    ["function", false],
  ]);
});

test("an uncaught error shows the caller's line and no long line", async () => {
  const { stderr } = await failureOf(["uncaught.js", service.baseUrl]);
  assert.match(stderr, /^FindingsError: .* HTTP status 410\n +at callerOfThePackage \(.*uncaught\.js:4:\d+\)$/m);
  assert.ok(
    stderr.split("\n").every((line) => line.length < 500),
    "no line is long",
  );
});

test("with source maps, an error shows the line of the package's source", async () => {
  const { stderr } = await failureOf(["--enable-source-maps", "mapped.js", service.baseUrl]);
  assert.match(stderr, /throw new TypeError\("this FindingsTable has been freed"\);/);
  assert.match(stderr, /src\/js\/table\/table\.ts:\d+:\d+/);
});

test("each source map leads to sources that the package contains", () => {
  const dist = join(installed, "dist");
  for (const name of readdirSync(dist).filter((name) => name.endsWith(".map"))) {
    const { sources } = JSON.parse(readFileSync(join(dist, name), "utf8"));
    assert.notEqual(sources.length, 0, name);
    for (const source of sources) assert.ok(existsSync(join(dist, source)), `${source} of ${name}`);
  }
});

test("importing fetches nothing", async () => {
  assert.equal(await resultOf("import.js"), "imported");
});

test("the tarball contains only the package, with its licence and those of others", () => {
  const documents = ["CHANGELOG.md", "LICENSE", "README.md", "THIRD-PARTY-NOTICES", "llms.txt", "package.json"];
  assert.deepEqual(readdirSync(installed).toSorted(), [...documents, "dist", "src", "www"].toSorted());
  assert.deepEqual(
    readdirSync(join(installed, "dist")).filter((name) => !/\.(js|js\.map|d\.ts|wasm)$/.test(name)),
    [],
  );
  assert.deepEqual(readdirSync(join(installed, "src")), ["js"]);
  assert.deepEqual(readdirSync(join(installed, "www")).sort(), ["docs", "examples"]);
  assert.deepEqual(readdirSync(join(installed, "www", "examples")), ["minimal"]);
  assert.deepEqual(
    readdirSync(join(installed, "www", "docs")).filter((name) => !/\.md$|^demo\.png$/.test(name)),
    [],
  );
  assert.deepEqual(
    readdirSync(join(project.folder, "node_modules")).filter((name) => !name.startsWith(".")),
    ["inspection-findings"],
  );
});

/**
 * What Node prints before it fails.
 * @param {string[]} parameters
 * @returns {Promise<{ stderr: string }>}
 */
async function failureOf(parameters) {
  const run = promisify(execFile)(process.execPath, parameters, { cwd: project.folder, timeout: 30_000 });
  const error = await run.then(
    () => assert.fail("it should fail"),
    (error) => error,
  );
  assert.equal(error.code, 1);
  return error;
}

/**
 * The output of a script of the project, whose process must end by itself without warnings.
 * @param {string} name
 * @param {...string} parameters
 */
async function resultOf(name, ...parameters) {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [name, ...parameters], {
    cwd: project.folder,
    timeout: 30_000,
  });
  assert.equal(stderr, "");
  return JSON.parse(stdout);
}
