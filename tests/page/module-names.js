/** The names of the module's imports and exports, which are short. Tests know the long ones. */

import names from "../../target/glue/names.json" with { type: "json" };

/** The long name of an import. @param {string} short */
export function longName(short) {
  return Object.entries(names.imports).find(([, name]) => name === short)?.[0] ?? "";
}

/** The short name of an export. @param {string} long */
export function shortName(long) {
  return names.exports[/** @type {keyof typeof names.exports} */ (long)];
}
