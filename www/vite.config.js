/** The build of the demo: static files that work under any path. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";
import { contentSecurityPolicy } from "./content-security-policy.js";
import { notFound } from "./not-found.js";
import { sourceLink } from "./source-link.js";
import { thirdPartyNotices } from "./third-party-notices.js";

const notices = thirdPartyNotices();
const pages = ["index.html", "examples/minimal/index.html", "examples/sql/index.html"];
// `npm start` does not install DuckDB, which takes 149 MB.
const shown = existsSync(join(import.meta.dirname, "../node_modules/@duckdb")) ? pages : pages.slice(0, 2);

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  // An unknown URL is a 404, not the demo.
  appType: "mpa",
  publicDir: false,
  cacheDir: "../target/vite/demo",
  // The package is outside this folder.
  server: { fs: { allow: [".."] } },
  build: {
    // The content security policy forbids assets as `data:` URLs.
    assetsInlineLimit: 0,
    rolldownOptions: { input: shown.map((page) => join(import.meta.dirname, page)) },
  },
  plugins: [
    contentSecurityPolicy(),
    notFound(),
    sourceLink(),
    notices.ofPages,
    {
      name: "links-of-shown-pages",
      transformIndexHtml: (html) => (shown === pages ? html : html.replace(/^.*"\.\/examples\/sql\/.*\n/m, "")),
    },
  ],
  worker: { format: "es", plugins: () => [notices.ofWorkers] },
});
