/** The notices of the demo: the file `THIRD-PARTY-NOTICES` beside the page, for the third-party code in its files. */

import { readFileSync } from "node:fs";
import { noticesOf, packageIn } from "../tools/licences.js";
import { noticesFile } from "../tools/notices.js";
import { inRepository } from "../tools/repository.js";

/** The packages of modules that the bundler itself adds, by the prefixes of their names. */
const ownOfBundlers = { "\0vite/": "vite", "\0rolldown/": "rolldown" };

/**
 * Plugins that collect the packages in the files of the demo; that of the page writes their notices. Vite's own list of
 * licences omits the code of Vite itself.
 */
export function thirdPartyNotices() {
  /** @type {Set<string>} */
  const folders = new Set();
  const add = (/** @type {string} */ file) => {
    const folder = packageFolderOf(file);
    if (folder !== undefined) {
      folders.add(folder);
    }
  };
  const addAll = (/** @type {import("vite").Rolldown.OutputBundle} */ bundle) => {
    for (const output of Object.values(bundle)) {
      if (output.type === "chunk") {
        output.moduleIds.forEach(add);
      }
    }
  };
  return { ofPage: pagePlugin(folders, addAll), ofWorkers: workerPlugin(addAll) };
}

/**
 * @param {Set<string>} folders
 * @param {(bundle: import("vite").Rolldown.OutputBundle) => void} addAll
 * @returns {import("vite").Plugin}
 */
function pagePlugin(folders, addAll) {
  return {
    name: "third-party-notices",
    generateBundle(_, bundle) {
      addAll(bundle);
      const source = readFileSync(noticesFile, "utf8") + noticesOf([...folders].sort().map(packageIn));
      this.emitFile({ type: "asset", fileName: "THIRD-PARTY-NOTICES", source });
    },
  };
}

/**
 * The plugin of workers, which are bundled separately, before the page.
 * @param {(bundle: import("vite").Rolldown.OutputBundle) => void} addAll
 * @returns {import("vite").Plugin}
 */
function workerPlugin(addAll) {
  return { name: "third-party-notices-of-workers", generateBundle: (_, bundle) => addAll(bundle) };
}

/**
 * The folder of the package that a file belongs to; undefined for one of this repository.
 * @param {string} file
 */
function packageFolderOf(file) {
  const bundler = Object.entries(ownOfBundlers).find(([beginning]) => file.startsWith(beginning))?.[1];
  return bundler === undefined
    ? file.replaceAll("\\", "/").match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]
    : inRepository("node_modules", bundler);
}
