/** How the demo is served and built: static files that work under any path. */

import { msw } from "msw/vite";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  publicDir: false,
  cacheDir: "../target/vite/demo",
  // The package and the fake backend lie beside this folder.
  server: { fs: { allow: [".."] } },
  // The fake backend is imported late: what it needs is made ready at the start, or the page would be reloaded then.
  optimizeDeps: { include: ["msw/browser", "msw/http"] },
  build: { outDir: "dist", emptyOutDir: true },
  // The worker script always comes from the installed MSW, so that the two cannot drift apart.
  plugins: [msw({ mode: "worker-only" })],
});
