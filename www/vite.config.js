/** The build of the demo: static files that work under any path. */

import { join } from "node:path";
import { defineConfig } from "vite";
import { contentSecurityPolicy } from "./content-security-policy.js";
import { notFound } from "./not-found.js";
import { sourceLink } from "./source-link.js";
import { thirdPartyNotices } from "./third-party-notices.js";

const notices = thirdPartyNotices();
const pages = ["index.html", "examples/minimal/index.html", "examples/sql/index.html"];

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
    rolldownOptions: { input: pages.map((page) => join(import.meta.dirname, page)) },
  },
  plugins: [contentSecurityPolicy(), notFound(), sourceLink(), notices.ofPages],
  worker: { format: "es", plugins: () => [notices.ofWorkers] },
});
