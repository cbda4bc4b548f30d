/** All that Rust calls in JavaScript, with the class that performs calls, bundled from its source as one script, for realms that can load no other file. */

import { join } from "node:path";
import { build } from "esbuild";
import { full } from "../../tools/module.ts";
import { inRepository } from "../../tools/repository.js";

const source = inRepository("src", "js");

/** The functions, and the class whose methods some of them call. */
const CONTENTS = 'export * from "./host-functions.js"; export { Performer } from "./performer.js";';

/**
 * A plugin of Vite, which serves the script.
 * @param {string} path of the script
 * @returns {import("vite").Plugin}
 */
export function hostBundle(path) {
  return {
    name: "host-bundle",
    configureServer({ middlewares }) {
      middlewares.use(path, async (_, response, next) => {
        try {
          const { outputFiles } = await build({
            stdin: { contents: CONTENTS, resolveDir: join(source, "engine"), loader: "ts" },
            bundle: true,
            format: "esm",
            write: false,
            plugins: [glue],
          });
          response.writeHead(200, { "content-type": "text/javascript" });
          response.end(outputFiles[0]?.text);
        } catch (error) {
          next(error);
        }
      });
    },
  };
}

/** Finds the glue, and the files that it imports. @type {import("esbuild").Plugin} */
const glue = {
  name: "glue",
  setup({ onResolve }) {
    onResolve({ filter: /\/instance_glue\.js$/ }, () => ({ path: join(full.folder, "instance_glue.js") }));
    onResolve({ filter: /^\.\// }, ({ importer, path }) =>
      importer.startsWith(full.folder) ? { path: join(source, path.replace(/js$/, "ts")) } : undefined,
    );
  },
};
