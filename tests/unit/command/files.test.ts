/** The files of an export: what it creates, replaces, resumes and leaves alone. */

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { TargetFile } from "../../../src/js/command/target-file.js";
import { scenarioOf } from "../../wire/service/bodies.js";
import {
  contentOf,
  exported,
  fake,
  findingsIn,
  interrupt,
  OWN_PROCESS,
  prepareScene,
  put,
  refused,
  requests,
  run,
  savedFor,
  scene,
  serve,
  silent,
  untilSaved,
} from "./command-run.js";

prepareScene();

const NAME = "findings.ndjson";
const OLD = "the export of yesterday";
const pathOf = (...names: string[]) => join(scene.folder, ...names);
const partial = (name = NAME) => pathOf(`${name}.partial`);

/** Holds back partition 5. Returns what lets it go. */
function holdBack(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  scene.beforeResponse = ({ url }) => (url.endsWith("/5") ? promise : undefined);
  return resolve;
}

/** The partitions that were requested. */
function requested(): (string | undefined)[] {
  return requests.flatMap(({ url }) => /Sentiment\/(\d+)$/.exec(url)?.[1] ?? []);
}

/** Writes a file as an export does. */
async function replace(name: string): Promise<void> {
  const target = await TargetFile.at(pathOf(name));
  await target.write(pathOf("temporary"), async (file) => file.writeFile("new"));
}

describe("the file", () => {
  test("keeps its mode, and a new one has that of the user's mask", async () => {
    put(NAME, OLD);
    chmodSync(pathOf(NAME), 0o600);
    for (const name of [NAME, "new.ndjson"]) await replace(name);
    expect(contentOf(NAME).toString()).toBe("new");
    expect(statSync(pathOf(NAME)).mode & 0o777).toBe(0o600);
    expect(statSync(pathOf("new.ndjson")).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(readdirSync(scene.folder).sort()).toEqual([NAME, "new.ndjson"]);
  });

  test("that a symbolic link leads to is written, and the link stays", async () => {
    mkdirSync(pathOf("data"));
    put("data/there.ndjson", OLD);
    const [name, file] = ["there.ndjson", "data/there.ndjson"];
    symlinkSync(file, pathOf(name));
    await replace(name);
    expect(readlinkSync(pathOf(name))).toBe(file);
    expect(lstatSync(pathOf(file)).isFile()).toBe(true);
    expect(contentOf(file).toString()).toBe("new");
    expect((await TargetFile.at(pathOf(name))).path).toBe(pathOf(file));
  });

  test.for([
    ["EINVAL", "new"],
    ["ENOTSUP", "new"],
    ["EIO", OLD],
  ] as const)("that cannot be forced to the disk, because of %s, is %s", async ([code, content]) => {
    const path = pathOf(put(NAME, OLD));
    const any = await open(path);
    const sync = vi
      .spyOn(Object.getPrototypeOf(any), "sync")
      .mockRejectedValue(Object.assign(new Error(code), { code }));
    onTestFinished(() => sync.mockRestore());
    await any.close();
    const replaced = replace(NAME);
    await (content === OLD ? expect(replaced).rejects.toThrow(code) : replaced);
    expect(contentOf(NAME).toString()).toBe(content);
    expect(readdirSync(scene.folder)).toEqual([NAME]);
  });

  test.for([
    ["folder.csv", /folder\.csv is a folder/],
    ["missing/findings.csv", /there is no folder .*missing$/],
    ["folder.csv/missing/findings.csv", /there is no folder .*folder\.csv\/missing$/],
    ["circle.csv", /ELOOP/],
  ] as const)("cannot be %s", async ([name, message]) => {
    mkdirSync(pathOf("folder.csv"));
    symlinkSync("circle.csv", pathOf("circle.csv"));
    await expect(TargetFile.at(pathOf(name))).rejects.toThrow(message);
  });

  test("is checked before any request, also below the folder of the user", async () => {
    const words = ["export", "42", "topics", "--to=~/findings.csv"];
    expect(await refused(words, { env: { HOME: pathOf("home") } })).toMatch(/there is no folder .*home\n/);
    expect([requests, readdirSync(scene.folder)]).toEqual([[], []]);
  });
});

// P44
test("an export that was killed has no file, is continued, and leaves nothing", async () => {
  holdBack();
  await run(exported(NAME), {
    onStart: async (child) => {
      await untilSaved(NAME, 5);
      child.kill("SIGKILL");
    },
  });
  expect(readdirSync(scene.folder)).toEqual([`${NAME}.partial`]);
  writeFileSync(join(partial(), "output.01234567-89ab-cdef-0123-456789abcdef"), "half");
  scene.beforeResponse = undefined;
  requests.length = 0;
  expect(await run(exported(NAME))).toEqual(silent);
  expect(requested()).toEqual(["5"]);
  expect(findingsIn(NAME)).toEqual(fake.findings("sentiment"));
  expect(readdirSync(scene.folder)).toEqual([NAME]);
});

test("two exports to a file at the same time make one whole file", async () => {
  const both = await Promise.all([run(exported(NAME), OWN_PROCESS), run(exported(NAME), OWN_PROCESS)]);
  expect(both.map(({ code }) => code)).toContain(0);
  expect(findingsIn(NAME)).toEqual(fake.findings("sentiment"));
});

test("a folder with files that no export has written stays as it is", async () => {
  mkdirSync(partial());
  writeFileSync(join(partial(), "notes.txt"), "mine");
  expect(await refused(exported(NAME))).toMatch(/findings\.ndjson\.partial has files that no export has written/);
  expect(requests).toEqual([]);
  expect(readdirSync(partial())).toEqual(["notes.txt"]);
});

test.for<[whose: string, change: () => unknown]>([
  ["that others can write", () => chmodSync(partial(), 0o777)],
  ["of another user", () => vi.spyOn(process, "getuid").mockReturnValue(-1)],
])("a folder %s is not taken over", async ([, change]) => {
  mkdirSync(partial(), 0o700);
  change();
  const names = readdirSync(scene.folder);
  expect(await refused(exported(NAME))).toMatch(
    /findings\.ndjson\.partial is no folder that only you can write\. Delete/,
  );
  expect([requests, readdirSync(scene.folder)]).toEqual([[], names]);
});

const long = "x".repeat(32_768);
const tooLong = "a cell has at most 32767 characters, and the text of finding 1 of partition 1 in the column";
const noColumn = "Partition 1 has findings with fields that have no column";

test.for<[name: string, finding: string, message: string]>([
  ["findings.xlsx", `{"a":"${long}"}`, `${tooLong} "a" has 32768: use CSV instead`],
  ["findings.xlsx", `{"a":{"b":["${long}"]}}`, `${tooLong} "a.b" has 32772: use CSV instead`],
  ["findings.parquet", '{"D":1,"D":2}', noColumn],
])(
  "findings that %s cannot hold end the export when they arrive, and leave nothing",
  async ([name, finding, message]) => {
    // Without a response, the last partition would keep the others from being written.
    const release = holdBack();
    serve(Array.from({ length: 6 }, (_, index) => ["{}", index === 1 ? finding : "{}"]));
    expect(await refused(exported(name))).toContain(message);
    expect(readdirSync(scene.folder)).toEqual([]);
    release();
  },
);

test("whether CSV has a column for each field is known once all partitions have arrived", async () => {
  serve([['{"D":1,"D":2}'], []]);
  expect(await refused(exported("findings.csv"))).toContain('there is no column for the field "D": use NDJSON instead');
  expect(readdirSync(scene.folder)).toEqual([]);
});

test("more findings than a sheet has room for are refused before any partition is requested", async () => {
  fake.use(scenarioOf(["{}"], 1_048_576));
  expect(await refused(exported("findings.xlsx"))).toContain(
    "a sheet has room for 1048575 rows, and there are at least 1048576: use CSV instead",
  );
  expect([requests.length, readdirSync(scene.folder)]).toEqual([1, []]);
});

describe("an interrupted export", () => {
  const partitions = Array.from({ length: 6 }, (_, index) => [`{"Id":"a","n":${index}}`, `{"k":${93 + index}}`]);
  const lines = partitions.flat().map((line) => JSON.parse(line));

  test("fetches only what is missing, in a folder that is the user's own", async () => {
    await interrupt(exported(NAME), partitions);
    // Only the user can read what has arrived, and another file beside it stays.
    expect(statSync(partial()).mode & 0o777).toBe(0o700);
    writeFileSync(join(partial(), "notes.txt"), "mine");
    const [damaged = ""] = savedFor(NAME).filter((name) => name.endsWith("-0.table"));
    truncateSync(join(partial(), damaged), 10);
    expect(await refused(exported(NAME))).toContain(
      `${damaged} was damaged, and has been deleted. Run the command again`,
    );
    expect(await run(exported(NAME))).toEqual(silent);
    expect(readdirSync(partial())).toEqual(["notes.txt"]);
    expect(new Set(requested())).toEqual(new Set(["0", "5"]));
    expect(findingsIn(NAME)).toEqual(lines);
  });

  test("that cannot replace its file leaves no output, however often it is tried", async () => {
    await interrupt(exported(NAME), partitions);
    // The folder appears while the partitions are fetched.
    scene.beforeResponse = ({ url }) => {
      if (url.endsWith("/5")) mkdirSync(pathOf(NAME));
    };
    expect(await refused(exported(NAME))).toContain("rename");
    expect(readdirSync(partial()).filter((name) => name.startsWith("output"))).toEqual([]);
    expect(savedFor(NAME)).toHaveLength(6);
  });

  test.for([
    ["another inspection", "43", "127.0.0.1"],
    ["another service", "42", "localhost"],
  ] as const)("refuses partitions of %s", async ([, key, host]) => {
    const baseUrl = fake.baseUrl.replace("127.0.0.1", host);
    await interrupt(["export", key, "sentiment", "--to", NAME, "--base-url", baseUrl], partitions);
    const message = /-\d\.table is a partition of another export, or .* Delete the folder to begin again\.\n$/;
    expect(await refused(exported(NAME))).toMatch(message);
    expect(existsSync(pathOf(NAME))).toEqual(false);
  });

  test("continues with other columns, conditions and files, and compares the number of all findings with the total", async () => {
    put("people.csv", "Id,Segment\na,letter\n");
    const words = [...exported("findings.csv"), "--join", "people.csv", "--on", "Id"];
    await interrupt([...words, "--where", '{"Id":"a"}'], partitions);
    put("people.csv", "Id,Segment\na,new\n");
    const others = ["--columns", "n,Segment", "--where", '{"n":{"min":4}}'];
    expect(await run([...words, ...others])).toEqual(silent);
    expect(requested()).toEqual(["5"]);
    expect(contentOf("findings.csv").toString()).toBe('\ufeff"n","Segment"\r\n4,"new"\r\n5,"new"\r\n');
  });
});
