/** The page for unknown URLs. Static hosts find it as `404.html`; a plugin of Vite writes it, and has the server of `npm start` send it. */

import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The page with its policy. It needs no other file, because the hosts send it for URLs of any depth. */
export function notFoundPage() {
  const html = readFileSync(join(import.meta.dirname, "404.html"), "utf8");
  const hashOf = (/** @type {string} */ tag) => {
    const [, text = ""] = html.match(new RegExp(`<${tag}>(.*?)</${tag}>`, "s")) ?? [];
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  };
  const policy = `default-src 'none'; script-src ${hashOf("script")}; style-src ${hashOf("style")}; connect-src 'self'; base-uri 'none'; form-action 'none'`;
  return html.replace("<head>", `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`);
}

/** @returns {import("vite").Plugin} */
export function notFound() {
  return {
    name: "not-found",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "404.html", source: notFoundPage() });
    },
    configurePreviewServer: ({ config, middlewares }) => {
      const isPage = (url = "/") =>
        statSync(join(config.root, config.build.outDir, url.split("?")[0]), { throwIfNoEntry: false })?.isFile();
      return () => {
        middlewares.use(({ url }, response, next) => {
          if (isPage(url)) next();
          else response.writeHead(404, { "content-type": "text/html; charset=utf-8" }).end(notFoundPage());
        });
      };
    },
  };
}
