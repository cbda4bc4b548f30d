/** Runs the built command, as cron would: without a terminal, against a service over HTTP. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, afterEach, beforeEach } from "vitest";
import { serveFake } from "../service/http-server.js";

const PROGRAM = join(import.meta.dirname, "..", "..", "dist", "command.js");

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

/** Runs the command to its end. */
export function run(words: string[], { env = {}, flags = [], shell, onStart }: RunOptions = {}): Promise<Ended> {
  const { FINDINGS_URL, FINDINGS_TOKEN, FINDINGS_TOKEN_FILE, ...others } = process.env;
  const options = { cwd: scene.folder, env: { ...others, FINDINGS_URL: fake.baseUrl, ...env } };
  const command = [process.execPath, ...flags, PROGRAM, ...words];
  const [program = "", ...parameters] = shell === undefined ? command : ["sh", "-c", `"$@" ${shell}`, "sh", ...command];
  const child = spawn(program, parameters, { ...options, stdio: ["ignore", "pipe", "pipe"] });
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

/** The words of an export. */
export function exported(name: string, kind = "sentiment"): string[] {
  return ["export", "42", kind, "--to", name];
}
