/** The notices of the demo: the file `THIRD-PARTY-NOTICES` beside the page, for the third-party code in its files. */

import { readFileSync } from "node:fs";
import { noticesFile, noticesOf, packageIn } from "../tools/notices.ts";
import { inRepository } from "../tools/repository.js";

/**
 * Plugins of the pages, which writes the notices, and of the workers, which are bundled before the pages. Vite's own list of licences omits
 * the code of Vite itself.
 * @returns {Record<"ofPages" | "ofWorkers", import("vite").Plugin>}
 */
export function thirdPartyNotices() {
  /** @type {Set<string>} */
  const folders = new Set();
  const addAll = (/** @type {import("vite").Rolldown.OutputBundle} */ bundle) => {
    for (const output of Object.values(bundle)) {
      for (const file of output.type === "chunk" ? output.moduleIds : []) {
        const folder = packageFolderOf(file);
        if (folder !== undefined) folders.add(folder);
      }
    }
  };
  return {
    ofWorkers: { name: "third-party-notices-of-workers", generateBundle: (_, bundle) => addAll(bundle) },
    ofPages: {
      name: "third-party-notices",
      generateBundle(_, bundle) {
        addAll(bundle);
        const source = readFileSync(noticesFile, "utf8") + noticesOf([...folders].sort().map(packageIn));
        this.emitFile({ type: "asset", fileName: "THIRD-PARTY-NOTICES", source });
      },
    },
  };
}

/**
 * The folder of the package that a file belongs to, perhaps of the bundler itself; undefined for one of this repository.
 * @param {string} file
 */
function packageFolderOf(file) {
  const bundler = file.match(/^\0(vite|rolldown)\//)?.[1];
  if (bundler !== undefined) return inRepository("node_modules", bundler);
  return file.replaceAll("\\", "/").match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0];
}
