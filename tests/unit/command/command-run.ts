/** Runs the command, as cron would: without a terminal, against a service over HTTP. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeEach, expect, vi } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { main } from "../../../src/js/command/main.js";
import { scenarioOf } from "../../wire/service/bodies.js";
import { serveFake } from "../../wire/service/http-server.js";

const PROGRAM = join(import.meta.dirname, "..", "..", "..", "dist", "command.js");

/** The folder of a test, and what each response waits for. */
export const scene = {
  folder: "",
  beforeResponse: undefined as ((request: Request) => void | Promise<void>) | undefined,
};

/** The service of the tests of a file: six partitions of sentiment findings. */
const { fake, requests, close } = await serveFake(
  { sentiment: { findings: 600, partitions: 6 }, topics: { findings: 30, partitions: 2 } },
  (request) => scene.beforeResponse?.(request),
);

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Record<string, string>;
  /** Flags of Node. */
  readonly flags?: string[];
  /** What the shell does with the output, such as `> /dev/full`. */
  readonly shell?: string;
  readonly onStart?: (child: ChildProcess) => void;
}

/** For commands that run at the same time: one of this process has its folder, its environment and its output. */
export const OWN_PROCESS: RunOptions = { flags: [] };

/** Makes a folder for each test, and closes the service after the last one. */
export function prepareScene(): void {
  afterAll(close);
  beforeEach(() => {
    scene.folder = realpathSync(mkdtempSync(join(tmpdir(), "inspection-findings-")));
  });
  afterEach(() => {
    rmSync(scene.folder, { recursive: true, force: true });
    scene.beforeResponse = undefined;
    fake.reset();
    requests.length = 0;
  });
}

export { fake, requests };

/** Runs the command to its end: in this process, or where an option asks for it, the built one in its own. */
export function run(words: string[], options: RunOptions = {}): Promise<Ended> {
  const { FINDINGS_URL, FINDINGS_TOKEN, FINDINGS_TOKEN_FILE, ...others } = process.env;
  const env = { ...others, FINDINGS_URL: fake.baseUrl, ...options.env };
  const { flags, shell, onStart } = options;
  return (flags ?? shell ?? onStart) ? started(words, options, env) : ended(words, env);
}

async function ended(words: string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  if (vi.isMockFunction(process.stdout.write)) throw new Error("a command of this process is running already");
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    vi.spyOn(process[name], "write").mockImplementation((text, ...rest: unknown[]) => {
      output[name] += text;
      (rest.at(-1) as (() => void) | undefined)?.();
      return true;
    });
  }
  const [folder, before] = [process.cwd(), { ...process.env }];
  process.chdir(scene.folder);
  changeEnvironment(env);
  try {
    await main(words, manifest.version);
    return { code: Number(process.exitCode ?? 0), ...output };
  } finally {
    process.exitCode = undefined;
    changeEnvironment(before);
    process.chdir(folder);
    vi.restoreAllMocks();
  }
}

/** Changes the environment itself, in which Node looks for the folder of the user. */
function changeEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
}

function started(words: string[], { flags = [], shell, onStart }: RunOptions, env: NodeJS.ProcessEnv): Promise<Ended> {
  const command = [process.execPath, ...flags, PROGRAM, ...words];
  const [program = "", ...parameters] = shell === undefined ? command : ["sh", "-c", `"$@" ${shell}`, "sh", ...command];
  const child = spawn(program, parameters, { cwd: scene.folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text) => {
      output[name] += text;
    });
  }
  onStart?.(child);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...output }));
  });
}

/** What the command prints, which must succeed without a word on the standard error. */
export async function printed(words: string[], options?: RunOptions): Promise<string> {
  const { code, stdout, stderr } = await run(words, options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** The message of the command, which must end with 1, or another code, and print nothing. */
export async function refused(words: string[], options: RunOptions = {}, expected = 1): Promise<string> {
  const { code, stdout, stderr } = await run(words, options);
  expect({ code, stdout }, stderr).toEqual({ code: expected, stdout: "" });
  return stderr;
}

/** The words of an export. */
export function exported(name: string, kind = "sentiment"): string[] {
  return ["export", "42", kind, "--to", name];
}

/** How a command ends that has nothing to say. */
export const silent: Ended = { code: 0, stdout: "", stderr: "" };

/** Lets the service have these partitions: the findings of each, as JSON. The one with the index `refused` is refused. */
export function serve(partitions: readonly (readonly string[])[], refused?: number): void {
  requests.length = 0;
  const bodies = partitions.map((findings, index) =>
    index === refused ? undefined : `{"Findings":[${findings.join()}]}`,
  );
  fake.use(scenarioOf(bodies, partitions.flat().length));
}

/** Puts a file into the folder of the test, and returns its name. */
export function put(name: string, content: string | Uint8Array): string {
  writeFileSync(join(scene.folder, name), content);
  return name;
}

/** A file in the folder of the test. */
export function contentOf(name: string): Buffer {
  return readFileSync(join(scene.folder, name));
}

/** The findings of a file of lines. */
export function findingsIn(name: string): unknown[] {
  const lines = contentOf(name).toString().trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** The flags of Node that run a script before the command. */
export function before(script: string): string[] {
  return ["--import", pathToFileURL(join(scene.folder, put("before.mjs", script))).href];
}

/** The partitions that an interrupted export has saved. */
export function savedFor(name: string): string[] {
  const folder = join(scene.folder, `${name}.partial`);
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".table")) : [];
}

export async function untilSaved(name: string, count: number): Promise<void> {
  await vi.waitUntil(() => savedFor(name).length === count, { interval: 5, timeout: 30_000 });
}

/** Runs an export whose last partition is refused once all others are saved. Then the service has it. */
export async function interrupt(words: string[], partitions: readonly (readonly string[])[]): Promise<void> {
  const name = words[words.indexOf("--to") + 1] ?? "";
  const last = partitions.length - 1;
  serve(partitions, last);
  scene.beforeResponse = async ({ url }) => {
    if (url.endsWith(`/${last}`)) await untilSaved(name, last);
  };
  expect(await run(words)).toMatchObject({ code: 1, stderr: expect.stringContaining("404") });
  scene.beforeResponse = undefined;
  serve(partitions);
}
