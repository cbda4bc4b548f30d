/** The bundle: the package's JavaScript, in as few files as a page has to load. */

import { join } from "node:path";
import { Failure } from "./command.js";

/** The files that package.json names. What they share is one more file. */
const entries = ["index", "node", "slim"];

/**
 * Bundles the modules of a folder.
 * @param {string} folder
 * @returns {Promise<{ name: string, code: string }[]>} the files
 */
export async function bundle(folder) {
  // Only now: it is there once the set-up has installed it.
  const { rolldown } = await import("rolldown");
  const inputs = Object.fromEntries(entries.map((name) => [name, join(folder, `${name}.js`)]));
  const bundler = await rolldown({ input: inputs, platform: "neutral", external: /^node:/ });
  const isShared = (/** @type {string} */ path) => !Object.values(inputs).includes(path);
  const { output } = await bundler.generate({
    format: "esm",
    chunkFileNames: "[name].js",
    codeSplitting: { groups: [{ name: "shared", test: isShared }] },
  });
  await bundler.close();
  const chunks = output.filter((file) => file.type === "chunk");
  return Promise.all(
    chunks.map(async ({ fileName, code }) => ({ name: fileName, code: await minified(fileName, code) })),
  );
}

/**
 * Removes comments and long names; the names of functions and classes stay, for those who read a stack trace. An entry stays as it
 * is, because bundlers look in it for the module's address.
 * @param {string} name
 * @param {string} code
 */
async function minified(name, code) {
  if (code.includes("import.meta.url")) {
    return code;
  }
  const { minify } = await import("vite");
  const keepNames = { function: true, class: true };
  const { code: smaller, errors } = await minify(name, code, {
    module: true,
    compress: { target: "es2022", keepNames },
    mangle: { toplevel: true, keepNames },
  });
  if (errors.length > 0) {
    throw new Failure(`${name} could not be minified: ${errors.map(({ message }) => message).join("; ")}`);
  }
  return smaller;
}
