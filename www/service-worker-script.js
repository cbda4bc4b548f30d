/** The script of the service worker in the built demo: beside the page, because its path decides which pages it controls. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

const fileName = "service-worker.js";

/** @returns {import("vite").Plugin} */
export function serviceWorkerScript() {
  return {
    name: "service-worker-script",
    generateBundle() {
      this.emitFile({ type: "asset", fileName, source: readFileSync(join(import.meta.dirname, fileName), "utf8") });
    },
  };
}
