/** The documentation under the development server of the demo, as a plugin of Vite: the files of the last build of the site. */

import { createReadStream, existsSync } from "node:fs";
import { basename, extname, join } from "node:path";

/** @type {Record<string, string | undefined>} */
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
};

/** @returns {import("vite").Plugin} */
export function docsInDevelopment() {
  return {
    name: "docs-in-development",
    configureServer({ middlewares }) {
      middlewares.use("/docs", (request, response, next) => {
        const { pathname } = new URL(request.url ?? "/", "http://localhost");
        const folder = pathname.startsWith("/package/") ? "package" : "";
        const file = join(import.meta.dirname, "dist", "docs", folder, basename(pathname) || "index.html");
        const type = types[extname(file)];
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
