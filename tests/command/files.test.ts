/** The files of an export: what it creates, replaces, resumes and leaves alone. */

import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { scenarioOf } from "../service/bodies.js";
import { exported, fake, prepareScene, run, scene } from "./command-run.js";

prepareScene();

const NAME = "findings.ndjson";
const pathOf = (...names: string[]) => join(scene.folder, ...names);
const partial = () => pathOf(`${NAME}.partial`);
const saved = () => (existsSync(partial()) ? readdirSync(partial()).filter((name) => name.endsWith(".table")) : []);
const linesOf = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const until = async (holds: () => boolean) => {
  while (!holds()) await pause(5);
};

/** Holds back partition 5. Returns what lets it go. */
function holdBack(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  scene.beforeResponse = ({ url }) => (url.endsWith("/5") ? promise : undefined);
  return resolve;
}

/** Interrupts an export after five of its six partitions. */
async function interrupt(words = exported(NAME)) {
  fake.use({
    respond: ({ partitionIndex }) => (partitionIndex === 5 ? new Response(null, { status: 404 }) : undefined),
  });
  scene.beforeResponse = async ({ url }) => {
    if (url.endsWith("/5")) await until(() => saved().length === 5);
  };
  expect((await run(words)).code).toBe(1);
  expect(saved()).toHaveLength(5);
  fake.reset();
  scene.beforeResponse = undefined;
}

test("a replaced file keeps its mode, and a new one has that of the user's mask", async () => {
  writeFileSync(pathOf(NAME), "the export of yesterday");
  chmodSync(pathOf(NAME), 0o600);
  expect((await run(exported(NAME))).code).toBe(0);
  expect(statSync(pathOf(NAME)).mode & 0o777).toBe(0o600);
  expect(linesOf(pathOf(NAME))).toHaveLength(600);
  expect((await run(exported("new.ndjson"))).code).toBe(0);
  expect(statSync(pathOf("new.ndjson")).mode & 0o777).toBe(0o666 & ~process.umask());
});

test("a symbolic link stays one: the file that it leads to is written, and its partitions are beside that", async () => {
  mkdirSync(pathOf("data"));
  writeFileSync(pathOf("data", "there.ndjson"), "the export of yesterday");
  symlinkSync(join("data", "there.ndjson"), pathOf("old.ndjson"));
  symlinkSync(join("data", "new.ndjson"), pathOf("nowhere.ndjson"));
  for (const [link, file] of [
    ["old.ndjson", "there.ndjson"],
    ["nowhere.ndjson", "new.ndjson"],
  ] as const) {
    expect((await run(exported(link))).code).toBe(0);
    expect(readlinkSync(pathOf(link))).toBe(join("data", file));
    expect(lstatSync(pathOf("data", file)).isFile()).toBe(true);
    expect(linesOf(pathOf("data", file))).toHaveLength(600);
  }
  symlinkSync("circle.ndjson", pathOf("circle.ndjson"));
  expect((await run(exported("circle.ndjson"))).stderr).toContain("leads to itself");
});

test("a second export to a file says at once that the first one is running", async () => {
  const release = holdBack();
  // As in two containers: their processes have the same number.
  writeFileSync(pathOf("same.mjs"), 'Object.defineProperty(process, "pid", { value: 7 });');
  const flags = ["--import", pathToFileURL(pathOf("same.mjs")).href];
  const first = run(exported(NAME), { flags });
  await until(() => saved().length === 5);
  const before = fake.requests.length;
  const second = await run(exported(NAME), { flags });
  expect(second.stderr).toContain("another export to this file is running");
  expect(second.code).toBe(1);
  expect(fake.requests).toHaveLength(before);
  release();
  expect(await first).toMatchObject({ code: 0, stderr: "" });
  expect(linesOf(pathOf(NAME))).toEqual(fake.findings("sentiment"));
  expect(readdirSync(scene.folder).sort()).toEqual([NAME, "same.mjs"]);
});

test("an export that was killed is continued, and leaves nothing", async () => {
  holdBack();
  await run(exported(NAME), {
    onStart: async (child) => {
      await until(() => saved().length === 5);
      child.kill("SIGKILL");
    },
  });
  writeFileSync(join(partial(), "output.01234567-89ab-cdef-0123-456789abcdef"), "half");
  scene.beforeResponse = undefined;
  fake.reset();
  const both = await Promise.all([run(exported(NAME)), run(exported(NAME))]);
  expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
  expect(fake.requests.filter(({ url }) => url.endsWith("/5"))).toHaveLength(1);
  expect(linesOf(pathOf(NAME))).toEqual(fake.findings("sentiment"));
  expect(readdirSync(scene.folder)).toEqual([NAME]);
});

test("an export that has lost its folder to another one does not replace the file", async () => {
  const release = holdBack();
  writeFileSync(pathOf(NAME), "the export of yesterday");
  const running = run(exported(NAME));
  await until(() => saved().length === 5);
  writeFileSync(join(partial(), "lock"), "another");
  release();
  const { code, stderr } = await running;
  expect(stderr).toMatch(/has lost its folder .*findings\.ndjson\.partial/);
  expect(code).toBe(1);
  expect(readFileSync(pathOf(NAME), "utf8")).toBe("the export of yesterday");
  expect(saved()).toHaveLength(5);
});

test("a folder with files that no export has written stays as it is", async () => {
  mkdirSync(partial());
  writeFileSync(join(partial(), "notes.txt"), "mine");
  const { code, stderr } = await run(exported(NAME));
  expect(stderr).toMatch(/findings\.ndjson\.partial has files that no export has written/);
  expect(code).toBe(1);
  expect(fake.requests).toEqual([]);
  expect(readdirSync(partial())).toEqual(["notes.txt"]);
});

test("an export that cannot replace its file leaves no output, however often it is tried", async () => {
  await interrupt();
  // The folder appears while the partitions are fetched.
  scene.beforeResponse = ({ url }) => {
    if (url.endsWith("/5")) mkdirSync(pathOf(NAME));
  };
  expect(await run(exported(NAME))).toMatchObject({ code: 1, stderr: expect.stringContaining("rename") });
  expect(readdirSync(partial()).filter((name) => name.startsWith("output"))).toEqual([]);
  expect(saved()).toHaveLength(6);
});

test("findings that a format cannot hold end the export when they arrive, and leave nothing", async () => {
  // Without a response, the last partition would keep the others from being written.
  const release = holdBack();
  for (const [name, finding, message] of [
    [
      "findings.xlsx",
      `{"a":"${"x".repeat(32_768)}"}`,
      'a cell has at most 32767 characters, and the text of finding 1 of partition 1 in the column "a" has 32768: use CSV instead',
    ],
    [
      "findings.xlsx",
      `{"a":{"b":["${"x".repeat(32_768)}"]}}`,
      'a cell has at most 32767 characters, and the text of finding 1 of partition 1 in the column "a.b" has 32772: use CSV instead',
    ],
    ["findings.parquet", '{"D":1,"D":2}', "Partition 1 has findings with fields that have no column"],
    ["findings.arrow", '{"D":1,"D":2}', "Partition 1 has findings with fields that have no column"],
  ] as const) {
    fake.use(scenarioOf(Array.from({ length: 6 }, (_, index) => `{"Findings":[{},${index === 1 ? finding : "{}"}]}`)));
    const { code, stderr } = await run(exported(name));
    expect(stderr).toContain(message);
    expect(code).toBe(1);
    expect(readdirSync(scene.folder)).toEqual([]);
  }
  release();
  // Whether a field has a column is known once all partitions have arrived.
  fake.use(scenarioOf(['{"Findings":[{"D":1,"D":2}]}', '{"Findings":[]}']));
  expect((await run(exported("findings.csv"))).stderr).toContain(
    'there is no column for the field "D": use NDJSON instead',
  );
  expect(readdirSync(scene.folder)).toEqual([]);
});

test("a file system that cannot say when a file has reached the disk gets the file, and one that fails does not", async () => {
  const program = (code: string) =>
    `import { open } from "node:fs/promises";
    const file = await open(${JSON.stringify(pathOf("sync.mjs"))});
    Object.getPrototypeOf(file).sync = async () => { throw Object.assign(new Error("${code}: fsync"), { code: "${code}" }); };
    await file.close();`;
  const flags = ["--import", pathToFileURL(pathOf("sync.mjs")).href];
  for (const [code, isWritten] of [
    ["EINVAL", true],
    ["ENOTSUP", true],
    ["EIO", false],
  ] as const) {
    writeFileSync(pathOf("sync.mjs"), program(code));
    const ended = await run(exported(`${code}.ndjson`), { flags });
    expect(ended).toMatchObject(
      isWritten ? { code: 0, stderr: "" } : { code: 1, stderr: expect.stringContaining("EIO") },
    );
    expect(existsSync(pathOf(`${code}.ndjson`))).toBe(isWritten);
  }
});

test("a path that cannot be a file is refused before any request", async () => {
  mkdirSync(pathOf("folder.csv"));
  const options = { env: { HOME: pathOf("home") } };
  for (const [to, message] of [
    ["folder.csv", /folder\.csv is a folder/],
    ["missing/findings.csv", /there is no folder missing/],
    ["folder.csv/missing/findings.csv", /there is no folder folder\.csv\/missing/],
    ["~/findings.csv", /there is no folder .*home/],
  ] as const) {
    const { code, stderr } = await run(["export", "42", "topics", `--to=${to}`], options);
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
  }
  expect(fake.requests).toEqual([]);
  expect(readdirSync(scene.folder)).toEqual(["folder.csv"]);
});

test("partitions of another index, inspection, kind or service are refused, wherever they come from", async () => {
  const other = join(scene.folder, "other");
  const copies: [string, () => Promise<void>][] = [
    ["another index", async () => copyFileSync(join(partial(), "1.table"), join(partial(), "0.table"))],
    [
      "another inspection",
      async () => {
        await interruptIn(other, ["export", "43", "sentiment", "--to", NAME]);
        copyFileSync(join(other, `${NAME}.partial`, "0.table"), join(partial(), "0.table"));
      },
    ],
    [
      "another service, without the file that names it",
      async () => {
        await interruptIn(other, [...exported(NAME), "--base-url", fake.baseUrl.replace("127.0.0.1", "localhost")]);
        copyFileSync(join(other, `${NAME}.partial`, "0.table"), join(partial(), "0.table"));
        rmSync(join(partial(), "export.json"));
      },
    ],
  ];
  for (const [what, copy] of copies) {
    await interrupt();
    await copy();
    const { code, stderr } = await run(exported(NAME));
    expect(stderr, what).toMatch(/0\.table is a partition of another export: .*Delete the folder to begin again\.\n$/);
    expect(code, what).toBe(1);
    expect(existsSync(pathOf(NAME)), what).toBe(false);
    for (const folder of [partial(), other]) rmSync(folder, { recursive: true, force: true });
  }
});

test("a partition without its first line is fetched again, in a folder that is the user's own", async () => {
  await interrupt();
  // Only the user can read what has arrived, and another file beside it stays.
  expect(statSync(partial()).mode & 0o777).toBe(0o700);
  writeFileSync(join(partial(), "notes.txt"), "mine");
  truncateSync(join(partial(), saved()[0] ?? ""), 10);
  expect((await run(exported(NAME))).code).toBe(0);
  expect(readdirSync(partial())).toEqual(["notes.txt"]);
  expect(fake.requests.filter(({ url }) => /\/Sentiment\/\d$/.test(url))).toHaveLength(2);
  expect(linesOf(pathOf(NAME))).toEqual(fake.findings("sentiment"));
});

async function interruptIn(folder: string, words: string[]) {
  const { folder: before } = scene;
  mkdirSync(folder);
  scene.folder = folder;
  await interrupt(words);
  scene.folder = before;
}
