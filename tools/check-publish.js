/** Refuses to publish what only a person can say: who publishes the package, where, and as which version. */

import { readFileSync } from "node:fs";
import { Failure, isStarted, log, script } from "./command.js";
import { inRepository } from "./repository.js";

/** The fields of package.json that have placeholders until a person fills them in. */
const fields = ["author", "bugs", "homepage", "repository"];

/**
 * Returns what is missing before the package can be published.
 * @param {Record<string, unknown>} manifest of the package
 * @param {string} changelog
 */
export function missingForPublishing(manifest, changelog) {
  const unfilled = fields.filter((field) =>
    /^$|placeholder/i.test(JSON.stringify(manifest[field] ?? "").replaceAll('"', "")),
  );
  const version = String(manifest.version);
  const isDated = new RegExp(`^## ${version.replaceAll(".", "\\.")} \\(\\d{4}-\\d{2}-\\d{2}\\)$`, "m").test(changelog);
  return [
    ...unfilled.map((field) => `package.json: fill in "${field}"`),
    ...(isDated ? [] : [`CHANGELOG.md: give version ${version} its date, as in "## ${version} (2030-01-31)"`]),
  ];
}

if (isStarted(import.meta.url)) {
  await script(async () => {
    const text = (/** @type {string} */ file) => readFileSync(inRepository(file), "utf8");
    const missing = missingForPublishing(JSON.parse(text("package.json")), text("CHANGELOG.md"));
    if (missing.length > 0) throw new Failure(missing.join("\n"));
    log("The package can be published.");
  });
}
