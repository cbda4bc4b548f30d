/** Values as text: JSON, and beyond it what JSON cannot hold. */

/** The most characters of a list or an object in one line. */
const WIDTH = 72;

/** The most elements of a list that are shown. */
const LENGTH = 100;

/**
 * Writes a value as a console does: a string as it is, anything else so that a reader can tell it from other values.
 * @param {unknown} value
 */
export function textOf(value) {
  try {
    return typeof value === "string" ? value : nestedText(value, []);
  } catch {
    // A getter, a proxy or toJSON of the reader's may throw.
    return "[unreadable]";
  }
}

/**
 * @param {any} value
 * @param {unknown[]} around the values that contain it
 * @returns {string}
 */
function nestedText(value, around) {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `[function ${value.name}]`;
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (around.includes(value)) return "[circular]";
  const text = (/** @type {unknown} */ each) => nestedText(each, [...around, value]);
  if (typeof value.toJSON === "function") return text(value.toJSON());
  const name = Object.prototype.toString.call(value).slice("[object ".length, -1);
  const prefix = name === "Object" || name === "Array" ? "" : `${name} `;
  if (Array.isArray(value) || ArrayBuffer.isView(value) || value instanceof Map || value instanceof Set) {
    const list = [.../** @type {Iterable<unknown>} */ (value)];
    const more = list.length > LENGTH ? [`… ${list.length - LENGTH} more`] : [];
    return prefix + enclosed("[", [...list.slice(0, LENGTH).map(text), ...more], "]");
  }
  const members = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${text(each)}`);
  return prefix + enclosed("{ ", members, " }");
}

/**
 * Writes parts in one line if they fit, and otherwise each in a line.
 * @param {string} open
 * @param {string[]} parts
 * @param {string} close
 */
function enclosed(open, parts, close) {
  if (parts.length === 0) return open.trim() + close.trim();
  const line = open + parts.join(", ") + close;
  if (line.length <= WIDTH && !line.includes("\n")) return line;
  return `${open.trim()}\n${parts.join(",\n").replaceAll(/^/gm, "  ")}\n${close.trim()}`;
}
