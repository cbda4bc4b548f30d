/** What an Arrow stream has to contain, and how libraries read one, in a page and in Node. */

import * as flechette from "@uwdata/flechette";
import * as apache from "apache-arrow";

/**
 * A column as a library reads it.
 * @typedef {object} ReadColumn
 * @property {string} name
 * @property {string} type only of Apache's library
 * @property {Map<string, string>} metadata
 * @property {unknown[]} values null where there is none
 */

/** @typedef {{ metadata: Map<string, string>, columns: ReadColumn[] }} ReadTable */

export const readers = { flechette: readByFlechette, "apache-arrow": readByApache };

/** @param {Uint8Array} stream */
export function readByFlechette(stream) {
  return read(flechette.tableFromIPC(stream));
}

/** @param {Uint8Array} stream */
export function readByApache(stream) {
  return read(apache.tableFromIPC(stream));
}

/**
 * Reads the table of a library.
 * @param {any} table
 * @returns {ReadTable}
 */
function read(table) {
  const { fields, metadata } = table.schema;
  const columns = fields.map((/** @type {any} */ { name, type, metadata }, /** @type {number} */ index) => ({
    name,
    type: String(type),
    metadata: metadata ?? new Map(),
    values: Array.from(table.getChildAt(index)),
  }));
  return { metadata: metadata ?? new Map(), columns };
}

/**
 * Each value of a stream with the one that it has to be, column by column.
 * @param {ReadTable} read
 * @param {object[]} findings
 * @param {string[]} names of their columns
 * @returns {Generator<{ name: string, read: unknown, expected: unknown }>}
 */
export function* valuesOf({ columns }, findings, names) {
  for (const name of names) {
    const column = columns.find((column) => column.name === name);
    if (column?.values.length !== findings.length) {
      throw new Error(`the column ${JSON.stringify(name)} has ${column?.values.length} values`);
    }
    const isJson = column.metadata.get("inspection-findings.content") === "json";
    const keys = keysOf(name);
    for (const [row, finding] of findings.entries()) {
      const expected = valueAt(finding, keys) ?? null;
      const value = column.values[row];
      const read = isJson && value !== null ? JSON.parse(/** @type {string} */ (value)) : value;
      // Both libraries take a byte order mark at the beginning of a text for one of an encoding. Text has no lone surrogates.
      yield {
        name,
        read,
        expected: typeof expected === "string" && !isJson ? expected.replace(/^\ufeff/, "").toWellFormed() : expected,
      };
    }
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

/** Findings that no service would send, as JSON. */
export const oddFindings = {
  "numbers of all kinds":
    '[{"a":-0,"b":0,"c":2147483647,"d":2147483648,"e":-2147483648},{"a":1e400,"b":-0.0,"c":-1,"d":0.1},{"a":9007199254740993,"b":5e-324,"c":1073741824}]',
  "numbers of all kinds among texts": '[{"a":-0},{"a":-1e400},{"a":"x"},{"a":1e400},{"a":1e21},{"a":null},{}]',
  "lone surrogates": '[{"a":"\\ud800"},{"a":"x"},{"a":"\\udc00\\ud800"},{"a":"😀"},{}]',
  "lone surrogates beside other values": '[{"a":"\\ud800","b":"\\ud800"},{"a":"x","b":[1]},{"a":5},{}]',
  "byte order marks": '[{"a":"\\ufeffx"},{"a":"x\\ufeff"},{"a":"\\ufeff"},{"a":""}]',
  "zeros and controls": '[{"a":"\\u0000"},{"a":"a\\u0000b"},{"a":"\\n\\t\\u007f\\u0085\\u2028"}]',
  arrays: '[{"a":[1,-0,[1e400,{"b":"\\ud800"}]]},{"a":[]},{"a":[ 1 , 2 ]},{"a":null},{}]',
  "objects beside other values":
    '[{"a":{"b":1,"c":{"d":[-0]}}},{"a":null},{"a":"x"},{"a":{}},{"a":[{"b":2}]},{},{"a":{"__proto__":1}}]',
  booleans: '[{"a":true},{"a":false},{"a":null},{},{"a":true}]',
  "booleans beside numbers": '[{"a":true},{"a":1},{"a":0.5},{"a":false}]',
  "null alone": '[{"a":null},{},{"a":null}]',
  "odd keys": '[{"":1,".":2,"a.b":3,"a":{"b":4,"":5},"\\\\":6,"__proto__":7,"constructor":8,"é😀":9}]',
  "no fields": "[{},{},{}]",
  "documented fields of other types":
    '[{"VariableKey":"seven","RespondentKey":3000000000,"NoTopic":1,"Comment":[1],"TopicGroup":{"a":1}},{"Sentiment":0.5}]',
  "a column that begins late": `[${"{},".repeat(5000)}{"a":"x"},{"a":"y"}]`,
};
