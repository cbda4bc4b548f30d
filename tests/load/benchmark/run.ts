/** The benchmark: this package beside the usual ways, in one of three real browsers, with a real HTTP server. */

import process from "node:process";
import { parseArgs } from "node:util";
import { build } from "vite";
import { Failure, script } from "../../../tools/command.js";
import { engineNames, launchEngine, titles } from "../../../tools/engine.ts";
import { inRepository } from "../../../tools/repository.js";
import { launchUnobserved } from "./chromium.ts";
import { baseline } from "./contenders.ts";
import { corpora } from "./corpora.ts";
import { goals, verdictOn } from "./goals.ts";
import { parts } from "./parts.ts";
import { median } from "./rounds.ts";

/** By part and title. */
export type Results = Record<string, Record<string, import("./rounds.ts").Rows>>;
export type Options = ReturnType<typeof readOptions>;

/** The figures that are also given as ratios to those of the baseline. */
const compared = ["wall ms", "cpu ms", "all cpu ms"];

/** What the figures of a retrieval mean. */
const legend = `main ms: the tasks of the main thread; cpu ms: its processor time; all cpu ms: that of all threads
heap B, module B: for each finding, the JavaScript heap of the result, and the module's memory`;

const names = { engine: engineNames, corpus: Object.keys(corpora), only: Object.keys(parts) };

const help = `The options are
  --figures       the goals, at the worst of all corpora; without it, all figures of the first corpus
  --engine NAME   ${names.engine.join(", ")}
  --corpus NAMES  of ${names.corpus.join(", ")}; several with commas
  --only PARTS    of ${names.only.join(", ")}; several with commas
  --rounds N      how often everything is measured (3)
  --findings N    of an inspection, a multiple of the partitions (100000)
  --partitions N  of an inspection, a multiple of 10 (50)
  --calls M-N     the mean of these calls of a page (1): the first ones wait for optimised code, and one alone may collect garbage`;

await script(() => runBenchmark(readOptions(process.argv.slice(2))), help);

/** @param args the command line */
function readOptions(args: string[]) {
  const text = (value: string) => ({ type: "string", default: value }) as const;
  const options = {
    corpus: { type: "string" },
    ...{ engine: text(names.engine[0]), only: text(names.only.join()), calls: text("1") },
    ...{ rounds: text("3"), findings: text("100000"), partitions: text("50") },
    figures: { type: "boolean", default: false },
  } as const;
  try {
    const { values: given } = parseArgs({ args, options });
    const [rounds, findings, partitions] = [given.rounds, given.findings, given.partitions].map(Number);
    const [first, last = first] = given.calls.split("-").map(Number);
    // Pages warm up with a tenth of the partitions.
    const isDivided = findings > 0 && findings % partitions === 0 && partitions % 10 === 0;
    if (!(rounds >= 1 && isDivided && 1 <= first && first <= last))
      throw new Error("--rounds, --findings, --partitions or --calls has a wrong number.");
    return {
      engine: named("engine", given.engine)[0] as import("../../../tools/engine.ts").EngineName,
      corpora: named("corpus", given.corpus ?? (given.figures ? names.corpus.join() : names.corpus[0])),
      parts: named("only", given.only),
      figures: given.figures,
      ...{ rounds, findings, partitions, calls: { first, last } },
    };
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : error}\n${help}`);
  }
}

function named(option: keyof typeof names, given: string) {
  const wrong = given.split(",").find((name) => !(names[option] as string[]).includes(name));
  if (wrong !== undefined) throw new Error(`--${option} does not know "${wrong}".`);
  return names[option].filter((name) => given.split(",").includes(name));
}

/** Runs the benchmark, and prints the results. */
async function runBenchmark(options: Options) {
  const page = inRepository("target", "benchmark", "page");
  await build({
    root: inRepository("tests", "load", "benchmark", "page"),
    configFile: false,
    logLevel: "error",
    base: "./",
    build: { outDir: page, emptyOutDir: true, target: "esnext", modulePreload: false },
  });
  const browser = options.engine === "chromium" ? await launchUnobserved() : await launchEngine(options.engine);
  try {
    const results: Results = {};
    for (const name of options.parts) {
      console.log(`Measuring: ${name} …`);
      results[name] = await parts[name]({ options, browser, page });
    }
    const version = `${titles[options.engine]} ${browser.version()}`;
    console.log(`\n${version}: medians of ${options.rounds}`);
    report(options, results);
  } finally {
    await browser.close();
  }
}

/** Prints the goals, and all figures unless only the goals are wanted. */
function report({ engine, figures }: Options, results: Results) {
  const reached = goals[engine].map((goal) => verdictOn(goal, results)).filter((row) => row !== undefined);
  console.log("\nThe goals, mostly as ratios to the usual way: each figure may be that of a column at most.");
  console.table(Object.fromEntries(reached));
  console.log(`${reached.length} of ${goals[engine].length} goals were measured.`);
  if (figures) return;
  for (const [part, tables] of Object.entries(results)) {
    for (const [title, rows] of Object.entries(tables)) {
      console.log(`\n${part}: ${title}`);
      console.table(mediansOf(rows));
    }
  }
  console.log(legend);
}

/** The medians of each row, and their ratios to those of the baseline. */
function mediansOf(rows: import("./rounds.ts").Rows) {
  const figuresOf = (name: string) =>
    Object.entries(rows[name]).flatMap(([figure, values]) => {
      const ratio = median(values) / median(rows[baseline]?.[figure]);
      const isCompared = compared.includes(figure) && !Number.isNaN(ratio);
      return [[figure, rounded(median(values))], ...(isCompared ? [[`÷ ${figure}`, rounded(ratio)]] : [])];
    });
  return Object.fromEntries(Object.keys(rows).map((name) => [name, Object.fromEntries(figuresOf(name))]));
}

function rounded(value: number) {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
