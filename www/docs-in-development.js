/** The documentation under the development server of the demo, as a plugin of Vite: the files of the last build of the site. */

import { createReadStream, existsSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { mediaTypes } from "../tools/media-types.js";

/** @returns {import("vite").Plugin} */
export function docsInDevelopment() {
  return {
    name: "docs-in-development",
    configureServer({ middlewares }) {
      middlewares.use("/docs", (request, response, next) => {
        const { pathname } = new URL(request.url ?? "/", "http://localhost");
        const folder = pathname.startsWith("/package/") ? "package" : "";
        const file = join(import.meta.dirname, "dist", "docs", folder, basename(pathname) || "index.html");
        const type = mediaTypes[extname(file)];
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
