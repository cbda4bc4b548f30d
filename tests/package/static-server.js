/** A plain static server, without knowledge of packages. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { mediaTypes } from "../../tools/media-types.js";
import { serve } from "../http-server.js";

/**
 * Serves a folder on a free port.
 * @param {string} folder
 * @param {Record<string, string>} headers of every response
 */
export async function serveFolder(folder, headers = {}) {
  const { origin, close } = await serve(({ url }) => {
    const { pathname } = new URL(url);
    const file = join(folder, normalize(pathname === "/" ? "index.html" : decodeURIComponent(pathname)));
    if (!existsSync(file) || !statSync(file).isFile()) return new Response(null, { status: 404 });
    const type = mediaTypes[extname(file)] ?? "application/octet-stream";
    return new Response(readFileSync(file), { headers: { "content-type": type, ...headers } });
  });
  return { url: `${origin}/`, close };
}
