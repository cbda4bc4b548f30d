/** The built package, served without changes under an address of the page's host. */

import sirv from "sirv";
import { dist } from "../../tools/repository.js";

/** How the package names the script of its worker. */
const workerScript = 'new URL("./worker.js", import.meta.url)';

/**
 * A plugin of Vite, which would otherwise rewrite the files, `import.meta.url` above all. What imports the package by its name gets the entry
 * of builds for production, not that of development servers, with the worker's script as it is shipped.
 * @param {string} path under which the files are
 * @returns {import("vite").Plugin}
 */
export function shippedPackage(path) {
  return {
    name: "shipped-package",
    enforce: "pre",
    config: () => ({ resolve: { conditions: ["module", "browser"] } }),
    transform: {
      filter: { id: /\/dist\/index\.js$/ },
      handler: (code) => code.replace(workerScript, `new URL("${path}/worker.js", location.origin)`),
    },
    configureServer({ middlewares }) {
      middlewares.use(path, sirv(dist, { dev: true }));
    },
  };
}
