/** The licences of third-party components: which ones are allowed, and the format of their notices. */

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Failure } from "./command.js";

/**
 * A third-party component that is shipped.
 * @typedef {object} Component
 * @property {string} name with its version, if it has one
 * @property {string} licence SPDX identifiers
 * @property {string} text the licence with the names of the copyright holders
 */

/** The allowed licences, which only require that their text is shipped. */
export const allowed = ["0BSD", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Unicode-3.0", "Zlib"];

/** The licences that npm packages may have, too. Apache's also requires the text of a NOTICE file. */
const allowedInPackages = [...allowed, "Apache-2.0"];

const rule = "-".repeat(100);

/**
 * Whether licences satisfy an SPDX expression.
 * @param {string} expression also in the old form of crates, with `/` for `OR`
 * @param {string[]} licences
 */
export function isMetBy(expression, licences) {
  // Imported late, because the set-up installs it.
  const satisfies = createRequire(import.meta.url)("spdx-satisfies");
  try {
    return satisfies(expression.replaceAll(/\s*\/\s*/g, " OR "), licences);
  } catch {
    return false;
  }
}

/**
 * Formats the notices of components, each text once.
 * @param {Component[]} components
 */
export function noticesOf(components) {
  /** @type {Map<string, string[]>} */
  const names = new Map();
  for (const { name, licence, text } of components) {
    const key = text.replaceAll("\r\n", "\n").trim();
    names.set(key, [...(names.get(key) ?? []), `${name} (${licence})`]);
  }
  return [...names].map(([text, users]) => `${rule}\n${users.join("\n")}\n\n${text}\n\n`).join("");
}

/**
 * Parses the components from notices.
 * @param {string} notices
 * @returns {Component[]}
 */
export function componentsIn(notices) {
  const [, ...sections] = notices.split(`${rule}\n`);
  return sections.flatMap((section) => {
    const end = section.indexOf("\n\n");
    return [...section.slice(0, end).matchAll(/^(.+) \((.+)\)$/gm)].map(([, name, licence]) => ({
      name,
      licence,
      text: section.slice(end).trim(),
    }));
  });
}

/**
 * An installed npm package as a component.
 * @param {string} folder
 * @returns {Component}
 */
export function packageIn(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const name = `${manifest.name} ${manifest.version}`;
  const licence = manifest.license;
  if (typeof licence !== "string" || !isMetBy(licence, allowedInPackages)) {
    throw new Failure(`The licence of ${name} is not among those that are allowed: ${JSON.stringify(licence)}.`);
  }
  const text =
    [...textsIn(folder), ...textsOf(folder, /^notice(?:\.|$)/i)].join("\n\n") ||
    (licence === "MIT" ? mit(`the authors of ${manifest.name}`) : undefined);
  if (text === undefined) throw new Failure(`${name} comes without the text of its licence, ${licence}.`);
  return { name, licence, text };
}

/**
 * The texts of the licence files in the folder of a package or a crate, without the licences of what a tool bundles for itself.
 * @param {string} folder
 */
export function textsIn(folder) {
  const texts = textsOf(folder, /^(?:licen[cs]e|copying)/i);
  return texts.map((text) => text.split(/^# Licenses of bundled dependencies$/m)[0].trim());
}

/**
 * @param {string} folder
 * @param {RegExp} name of the files
 */
function textsOf(folder, name) {
  const files = readdirSync(folder).filter((file) => name.test(file));
  return files.map((file) => readFileSync(join(folder, file), "utf8"));
}

/**
 * The MIT licence, for components without a licence file.
 * @param {string} holders of the copyright
 */
export function mit(holders) {
  return `Copyright (c) ${holders}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}
