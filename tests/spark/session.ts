/** Spark on this machine: its settings, and a session that answers questions. */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { inRepository, target } from "../../tools/repository.js";

/** The Python of the environment that `npm run test:spark` installs, with the wheel. */
const python = join(target, "spark", "python", "bin", "python");

type Settings = { master: string; configuration?: Record<string, string>; env?: Record<string, string>; cwd?: string };

/** Starts a Python program that uses Spark, with a configuration of Spark. */
export function startPython(
  parameters: string[],
  { master, configuration = {}, env = {}, cwd = inRepository() }: Settings,
) {
  const quiet = { "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false" };
  const all = { "spark.driver.host": "127.0.0.1", "spark.executor.memory": "1g", ...quiet, ...configuration };
  const flags = Object.entries(all).map(([name, value]) => `--conf ${name}=${value}`);
  return spawn(python, parameters, {
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      ...process.env,
      SPARK_LOCAL_IP: "127.0.0.1",
      PYSPARK_PYTHON: python,
      PYTHONDONTWRITEBYTECODE: "1",
      FINDINGS_NODE: process.execPath,
      PYSPARK_SUBMIT_ARGS: `--master ${master} ${flags.join(" ")} pyspark-shell`,
      ...env,
    },
  });
}

/** The folder of Spark. */
export function sparkHome() {
  return execFileSync(python, ["-c", "import pyspark; print(pyspark.__path__[0])"], { encoding: "utf8" }).trim();
}

/** Collects what a program prints. */
export function outputOf(child: import("node:child_process").ChildProcessWithoutNullStreams) {
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text) => {
      printed[name] += text;
    });
  }
  return printed;
}

/** The configuration for a log of all events that can be read as text. */
export function eventLog(folder: string) {
  return { "spark.eventLog.enabled": "true", "spark.eventLog.dir": folder, "spark.eventLog.compress": "false" };
}

/** The texts of all files in a folder. */
export function textsIn(folder: string) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"))
    .join("\n");
}

/** A question about a data frame of the source. */
export interface Question {
  do: "rows" | "verify";
  options: Record<string, string>;
  /** Another than that of the source */
  schema?: string;
  /** A condition in SQL that rows have to meet */
  where?: string;
  /** Whether every row occurs twice */
  twice?: boolean;
}

/** Starts a session of Spark. */
export function startSession(settings: Settings) {
  const child = startPython([inRepository("tests", "spark", "session.py")], settings);
  const lines = createInterface({ input: child.stdout });
  const printed = outputOf(child);
  const ended = once(child, "exit");
  return {
    printed,
    /** Resolves with the answer. */
    async ask(question: Question): Promise<any> {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const [line] = await Promise.race([
        once(lines, "line"),
        ended.then(() => {
          throw new Error(`the session has ended: ${printed.stderr.slice(-3000)}`);
        }),
      ]);
      const { answer, error } = JSON.parse(line);
      if (error !== undefined) throw new Error(error);
      return answer;
    },
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}
