/** Spark on this machine: its settings, and a session that answers questions. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { inRepository, target } from "../../../tools/repository.js";

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
  const child = startPython([inRepository("tests", "readers", "spark", "session.py")], settings);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const errors = text(child.stderr);
  return {
    /** Resolves with the answer. */
    async ask(question: Question): Promise<any> {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the session has ended: ${await errors}`);
      const { answer, error } = JSON.parse(value);
      if (error !== undefined) throw new Error(error);
      return answer;
    },
    async end() {
      child.stdin.end();
      await errors;
    },
  };
}
