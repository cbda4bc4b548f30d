/** How the demo is served and built: static files that work under any path. */

import { join } from "node:path";
import { msw } from "msw/vite";
import { defineConfig } from "vite";
import { contentSecurityPolicy } from "./content-security-policy.js";
import { thirdPartyNotices } from "./third-party-notices.js";
import { unregisteredProperties } from "./unregistered-properties.js";

const notices = thirdPartyNotices();

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  publicDir: false,
  cacheDir: "../target/vite/demo",
  // The package and the fake backend lie beside this folder.
  server: { fs: { allow: [".."] } },
  // The built-in service has no cookies, and the jar that MSW brings for them is larger than all the rest of it.
  resolve: { alias: { "tough-cookie": join(import.meta.dirname, "..", "tests", "fake-backend", "no-cookies.js") } },
  // The fake backend is imported late: what it needs is made ready at the start, or the page would be reloaded then.
  optimizeDeps: { include: ["msw/browser", "msw/http"] },
  css: { postcss: { plugins: [unregisteredProperties, notices.ofStyles] } },
  // What is written into other files as a `data:` address, the content security policy refuses.
  build: { outDir: "dist", emptyOutDir: true, assetsInlineLimit: 0 },
  // The worker script always comes from the installed MSW, so that the two cannot drift apart.
  plugins: [contentSecurityPolicy(), msw({ mode: "worker-only" }), notices.ofPage],
  worker: { plugins: () => [notices.ofWorkers] },
});
