/** What an Arrow stream has to contain, and how libraries read one. */

import * as flechette from "@uwdata/flechette";
import * as apache from "apache-arrow";
import { expect } from "vitest";
import { expectSame } from "./same.js";

/**
 * A column as a library reads it.
 * @typedef {object} ReadColumn
 * @property {string} name
 * @property {string} type
 * @property {Map<string, string>} metadata
 * @property {unknown[]} values null where there is none
 */

/** @typedef {{ metadata: Map<string, string>, columns: ReadColumn[] }} ReadTable */

/** @type {Record<string, (stream: Uint8Array) => ReadTable>} */
export const readers = { flechette: readByFlechette, "apache-arrow": readByApache };

/**
 * @param {Uint8Array} stream
 * @returns {ReadTable}
 */
export function readByFlechette(stream) {
  const table = flechette.tableFromIPC(stream);
  const columns = table.schema.fields.map(({ name, type, metadata }, index) => ({
    name,
    type: typeName(/** @type {any} */ (type)),
    metadata: metadata ?? new Map(),
    values: Array.from(table.getChildAt(index)),
  }));
  return { metadata: table.schema.metadata ?? new Map(), columns };
}

/**
 * @param {any} type of flechette
 * @returns {string}
 */
function typeName(type) {
  switch (type.typeId) {
    case flechette.Type.Int:
      return `Int${type.bitWidth}`;
    case flechette.Type.Float:
      return "Float64";
    case flechette.Type.Bool:
      return "Bool";
    case flechette.Type.Utf8:
      return "Utf8";
    case flechette.Type.Dictionary:
      return `Dictionary<${typeName(type.indices)}, ${typeName(type.dictionary)}>`;
  }
  return `another type, ${type.typeId}`;
}

/**
 * @param {Uint8Array} stream
 * @returns {ReadTable}
 */
function readByApache(stream) {
  const table = apache.tableFromIPC(stream);
  const columns = table.schema.fields.map(({ name, type, metadata }, index) => ({
    name,
    type: String(type),
    metadata,
    values: Array.from(/** @type {any} */ (table.getChildAt(index))),
  }));
  return { metadata: table.schema.metadata, columns };
}

/**
 * Expects a table to have these findings: each column of theirs, value by value.
 * @param {ReadTable} read
 * @param {object[]} findings
 * @param {string[]} names of their columns
 */
export function expectFindings({ columns }, findings, names) {
  for (const name of names) {
    const column = columns.find((column) => column.name === name);
    if (column === undefined) expect.fail(`there is no column ${JSON.stringify(name)}`);
    const isJson = column.metadata.get("inspection-findings.content") === "json";
    expect(column.values.length, name).toBe(findings.length);
    const keys = keysOf(name);
    findings.forEach((finding, row) => {
      const expected = valueAt(finding, keys) ?? null;
      const value = column.values[row];
      const read = isJson && value !== null ? JSON.parse(/** @type {string} */ (value)) : value;
      // Both libraries take a byte order mark at the beginning of a text for one of an encoding.
      expectSame(read, typeof expected === "string" && !isJson ? expected.replace(/^\ufeff/, "") : expected, name);
    });
  }
}

/**
 * The value of a finding at a path.
 * @param {unknown} finding
 * @param {string[]} keys
 */
export function valueAt(finding, keys) {
  return keys.reduce(
    (object, key) =>
      typeof object === "object" && object !== null && !Array.isArray(object) && Object.hasOwn(object, key)
        ? /** @type {any} */ (object)[key]
        : undefined,
    finding,
  );
}

/**
 * The keys in the name of a column.
 * @param {string} name
 */
export function keysOf(name) {
  const keys = [""];
  for (const [part] of name.matchAll(/\\.|\.|[^\\.]+/gs)) {
    if (part === ".") keys.push("");
    else keys.push(keys.pop() + (part.startsWith("\\") ? part.slice(1) : part));
  }
  return keys;
}
