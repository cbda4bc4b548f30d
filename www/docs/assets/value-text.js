/** Values as text: JSON, and beyond it what JSON cannot hold. */

/** The most characters of a list or an object in one line. */
const WIDTH = 72;

/** The most elements of a list that are shown, and the most levels of nested values. */
const LENGTH = 100;
const DEPTH = 16;

/**
 * Writes a value as a console does: a string as it is, anything else so that a reader can tell it from other values.
 * @param {unknown} value
 * @returns {string}
 */
export function textOf(value) {
  return typeof value === "string" ? value : nestedText(value, []);
}

/**
 * @param {unknown} value
 * @param {unknown[]} above the values around it
 * @returns {string}
 */
function nestedText(value, above) {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "bigint":
      return `${value}n`;
    case "function":
      return `[function ${value.name}]`;
    case "object":
      return value === null ? "null" : objectText(value, above);
    default:
      return String(value);
  }
}

/**
 * @param {object} value
 * @param {unknown[]} above
 */
function objectText(value, above) {
  if (above.includes(value)) {
    return "[circular]";
  }
  if (above.length === DEPTH) {
    return "…";
  }
  try {
    return readableText(value, [...above, value]);
  } catch {
    // A getter, a proxy or toJSON of the reader's may throw.
    return "[unreadable]";
  }
}

/**
 * @param {object & { toJSON?: unknown }} value
 * @param {unknown[]} above the value and those around it
 * @returns {string}
 */
function readableText(value, above) {
  if (value instanceof Error) {
    return `${value.name}: ${value.message}`;
  }
  if (typeof value.toJSON === "function") {
    return nestedText(value.toJSON(), above);
  }
  const name = Object.prototype.toString.call(value).slice("[object ".length, -1);
  const prefix = name === "Object" || name === "Array" ? "" : `${name} `;
  const list = elementsOf(value);
  if (list !== undefined) {
    const texts = Array.from(list.slice(0, LENGTH), (each) => nestedText(each, above));
    const more = list.length > LENGTH ? [`… ${list.length - LENGTH} more`] : [];
    return prefix + enclosed("[", [...texts, ...more], "]");
  }
  const members = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${nestedText(each, above)}`);
  return prefix + enclosed("{ ", members, " }");
}

/**
 * The elements of a list; undefined for what is none.
 * @param {unknown} value
 * @returns {any}
 */
function elementsOf(value) {
  if (value instanceof Map || value instanceof Set) {
    return [...value];
  }
  return Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value) ? value : undefined;
}

/**
 * Writes parts in one line if they fit, and otherwise each in a line.
 * @param {string} open
 * @param {string[]} parts
 * @param {string} close
 */
function enclosed(open, parts, close) {
  if (parts.length === 0) {
    return open.trim() + close.trim();
  }
  const line = open + parts.join(", ") + close;
  if (line.length <= WIDTH && !line.includes("\n")) {
    return line;
  }
  return `${open.trim()}\n${parts.join(",\n").replaceAll(/^/gm, "  ")}\n${close.trim()}`;
}
