/** The built package, served without changes under an address of the page's host. */

import { createReadStream, existsSync } from "node:fs";
import { basename, extname } from "node:path";
import { inRepository } from "../../tools/repository.js";

/** @type {Record<string, string | undefined>} */
const types = { ".js": "text/javascript", ".wasm": "application/wasm" };

/**
 * A plugin of Vite, which would otherwise rewrite the files, `import.meta.url` above all. What imports the package by its name gets the entry
 * of builds for production, not that of development servers.
 * @param {string} path under which the files are
 * @returns {import("vite").Plugin}
 */
export function shippedPackage(path) {
  return {
    name: "shipped-package",
    config: () => ({ resolve: { conditions: ["module", "browser"] } }),
    configureServer({ middlewares }) {
      middlewares.use(path, (request, response, next) => {
        const name = basename(new URL(request.url ?? "", "http://localhost").pathname);
        const file = inRepository("dist", name);
        const type = types[extname(name)];
        if (type === undefined || !existsSync(file)) {
          next();
          return;
        }
        response.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
        createReadStream(file).pipe(response);
      });
    },
  };
}
