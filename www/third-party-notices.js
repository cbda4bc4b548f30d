/** The notices of the demo: the file `THIRD-PARTY-NOTICES` beside the page, for whatever of others is in its files. */

import { readFileSync } from "node:fs";
import { noticesOf, packageIn } from "../tools/licences.js";
import { noticesFile } from "../tools/notices.js";
import { inRepository } from "../tools/repository.js";

/** Where what a bundler adds of its own comes from, by the beginnings of the names that it gives to it. */
const ownOfBundlers = { "\0vite/": "vite", "\0rolldown/": "rolldown" };

/**
 * Plugins that collect the packages which files come from; the one of the page writes their notices. Vite's own list of
 * licences leaves out styles, and what Vite itself adds.
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
  return { ofPage: pagePlugin(folders, addAll), ofWorkers: workerPlugin(addAll), ofStyles: stylePlugin(add) };
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
 * What runs in a worker is bundled by itself, before the page.
 * @param {(bundle: import("vite").Rolldown.OutputBundle) => void} addAll
 * @returns {import("vite").Plugin}
 */
function workerPlugin(addAll) {
  return { name: "third-party-notices-of-workers", generateBundle: (_, bundle) => addAll(bundle) };
}

/**
 * A plugin of PostCSS, which sees what file each rule comes from.
 * @param {(file: string) => void} add
 * @returns {import("postcss").Plugin}
 */
function stylePlugin(add) {
  return {
    postcssPlugin: "third-party-notices",
    OnceExit: (root) => void root.walk(({ source }) => add(source?.input.file ?? "")),
  };
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
