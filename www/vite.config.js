/** The build and the development server of the demo: static files that work under any path. */

import { join } from "node:path";
import { msw } from "msw/vite";
import { defineConfig } from "vite";
import { contentSecurityPolicy } from "./content-security-policy.js";
import { docsInDevelopment } from "./docs-in-development.js";
import { serviceWorkerScript } from "./service-worker-script.js";
import { thirdPartyNotices } from "./third-party-notices.js";
import { unregisteredProperties } from "./unregistered-properties.js";

const notices = thirdPartyNotices();

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  publicDir: false,
  cacheDir: "../target/vite/demo",
  // The package and the fake backend are outside this folder.
  server: { fs: { allow: [".."] } },
  // The built-in service has no cookies, and MSW's cookie jar is larger than the rest of MSW.
  resolve: { alias: { "tough-cookie": join(import.meta.dirname, "..", "tests", "fake-backend", "no-cookies.js") } },
  // Imported late: the fake backend, the writers of the export, and DuckDB. Without this list, they would reload the page then.
  optimizeDeps: {
    include: ["@duckdb/duckdb-wasm", "@uwdata/flechette", "hyparquet-writer", "msw/browser", "msw/http"],
  },
  css: { postcss: { plugins: [unregisteredProperties, notices.ofStyles] } },
  // The content security policy forbids assets as `data:` addresses.
  build: { outDir: "dist", emptyOutDir: true, assetsInlineLimit: 0 },
  // Serves the worker script of the installed MSW, so that their versions agree.
  plugins: [
    contentSecurityPolicy(),
    msw({ mode: "worker-only" }),
    serviceWorkerScript(),
    docsInDevelopment(),
    notices.ofPage,
  ],
  worker: { plugins: () => [notices.ofWorkers] },
});
