/** What the owner has to fill in before the package can be published. */

import { readFileSync } from "node:fs";
import { Failure, isStarted, script } from "./command.js";
import { inRepository } from "./repository.js";

/** What only the owner knows, by the member of `package.json`. */
const members = {
  author: 'the name of the owner, such as "Jane Doe <jane@example.com>"',
  bugs: "the URL of the page where users report faults",
  homepage: "the URL of the documentation",
  repository: '{ "type": "git", "url": "git+https://…" }, which `npm publish --provenance` compares with the workflow',
};

/**
 * Lists what is missing, each as a sentence.
 * @param {Record<string, unknown>} manifest of `package.json`
 * @param {string} changelog
 */
function missingIn(manifest, changelog) {
  const unknown = Object.entries(members)
    .filter(([name]) => !manifest[name])
    .map(([name, what]) => `package.json: add "${name}", ${what}.`);
  const { version } = manifest;
  const isDated = changelog.split("\n").some((line) => line.startsWith(`## ${version} (20`));
  return isDated ? unknown : [...unknown, `CHANGELOG.md: replace "(unreleased)" of ${version} with its date.`];
}

if (isStarted(import.meta)) {
  await script(async () => {
    const read = (/** @type {string} */ name) => readFileSync(inRepository(name), "utf8");
    const missing = missingIn(JSON.parse(read("package.json")), read("CHANGELOG.md"));
    if (missing.length > 0) throw new Failure(missing.join("\n"));
    console.log("Nothing is missing.");
  });
}
