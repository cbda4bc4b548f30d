/** A model of a table, in plain JavaScript over plain findings. */

/**
 * The value under nested keys of a finding; undefined if there is none.
 * @param {unknown} finding
 * @param {string[]} keys
 */
export function valueAt(finding, keys) {
  let value = finding;
  for (const key of keys) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = /** @type {Record<string, unknown>} */ (value)[key];
  }
  return value;
}

/** The keys of each column, in the order of their first occurrence. @param {object[]} findings */
export function columnsOf(findings) {
  /** @type {Map<string, string[]>} */
  const columns = new Map();
  const visit = (/** @type {object} */ object, /** @type {string[]} */ above) => {
    for (const [key, value] of Object.entries(object)) {
      const keys = [...above, key];
      if (isObject(value)) {
        visit(value, keys);
      } else if (!columns.has(nameOf(keys))) {
        columns.set(nameOf(keys), keys);
      }
    }
  };
  for (const finding of findings) visit(finding, []);
  return columns;
}

/** The name of a column. @param {string[]} keys */
export function nameOf(keys) {
  return keys.map((key) => key.replaceAll("\\", "\\\\").replaceAll(".", "\\.")).join(".");
}

/**
 * A finding with the fields of these columns, each given by its keys, and no others.
 * @param {object} finding
 * @param {string[][]} columns
 * @returns {object}
 */
export function pruned(finding, columns) {
  const kept = Object.entries(finding).flatMap(([key, value]) => {
    const below = columns.filter(([first]) => first === key).map(([, ...rest]) => rest);
    if (below.some((keys) => keys.length === 0)) return [[key, value]];
    return below.length > 0 && isObject(value) ? [[key, pruned(value, below)]] : [];
  });
  return Object.fromEntries(kept);
}

/**
 * The findings with each combination of values, most frequent first, then the first seen.
 * @param {object[]} findings
 * @param {string[][]} paths
 */
function groupsOf(findings, paths) {
  /** @type {Map<string, { key: unknown[], members: object[] }>} */
  const groups = new Map();
  for (const finding of findings) {
    const key = paths.map((keys) => valueAt(finding, keys)).map((value) => (isObject(value) ? {} : value));
    const name = JSON.stringify(key.map((value) => (value === undefined ? [] : [value])));
    const group = groups.get(name) ?? { key, members: [] };
    groups.set(name, group);
    group.members.push(finding);
  }
  return [...groups.values()].sort((one, other) => other.members.length - one.members.length);
}

/** @param {object[]} findings @param {string[][]} paths */
export function countBy(findings, paths) {
  return groupsOf(findings, paths).map(({ key, members }) => ({ key, count: members.length }));
}

/** @param {object[]} findings @param {string[][]} groupBy @param {string[]} path */
export function summarize(findings, groupBy, path) {
  return groupsOf(findings, groupBy).map(({ key, members }) => {
    const numbers = members.map((finding) => valueAt(finding, path)).filter((value) => typeof value === "number");
    const sum = numbers.reduce((total, number) => total + number, 0);
    const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
    return { key, count: members.length, numbers: numbers.length, sum, min, max, mean: sum / numbers.length };
  });
}

/**
 * Whether a condition holds for a value.
 * @param {unknown} value
 * @param {any} condition
 * @returns {boolean}
 */
function holds(value, condition) {
  if (Array.isArray(condition)) return condition.includes(value);
  if (typeof condition !== "object" || condition === null) return value === condition;
  if (Object.hasOwn(condition, "not")) return !holds(value, condition.not);
  if (Object.hasOwn(condition, "missing")) return value === undefined;
  if (Object.hasOwn(condition, "contains")) {
    return typeof value === "string" && folded(value).includes(folded(condition.contains));
  }
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = condition;
  return typeof value === "number" && value >= min && value <= max;
}

/** A text as `contains` compares it. @param {string} text */
function folded(text) {
  return text.toLowerCase().replaceAll("ς", "σ");
}

/**
 * Whether a condition compares with values of a type that a column lacks, while it has others that look the same.
 * @param {unknown[]} values of the column
 * @param {any} condition
 */
function isOfOtherType(values, condition) {
  const plain = condition?.not ?? condition;
  // Only JavaScript reads these, so nothing is known of them.
  if (values.some((value) => Array.isArray(value) || (typeof value === "string" && !value.isWellFormed())))
    return false;
  const looksLike = (/** @type {unknown} */ value, /** @type {unknown} */ sought) =>
    String(value).trim() === String(sought).trim() ||
    (typeof sought !== "boolean" &&
      typeof value !== "boolean" &&
      isNumeric(value) &&
      isNumeric(sought) &&
      Number(value) === Number(sought));
  /** @type {[string, (value: any) => boolean][]} */
  const sought = [];
  if (Array.isArray(plain) || typeof plain !== "object" || plain === null) {
    for (const one of [plain].flat()) sought.push([typeof one, (value) => looksLike(value, one)]);
  } else if (plain.contains) {
    sought.push(["string", (value) => String(value).toLowerCase().includes(plain.contains.toLowerCase())]);
  } else if (plain.min !== undefined || plain.max !== undefined) {
    sought.push(["number", (value) => typeof value === "string" && isNumeric(value) && holds(Number(value), plain)]);
  }
  const scalars = values.filter((value) => /^(number|string|boolean)$/.test(typeof value));
  return sought.some(
    ([type, meets]) =>
      /^(number|string|boolean)$/.test(type) && !scalars.some((value) => typeof value === type) && scalars.some(meets),
  );
}

function isNumeric(/** @type {unknown} */ value) {
  return String(value).trim() !== "" && !Number.isNaN(Number(value));
}

/**
 * Whether one of the conditions compares with values of the wrong type.
 * @param {object[]} findings
 * @param {Record<string, unknown>} where
 * @param {Map<string, string[]>} columns
 */
export function hasWrongTypes(findings, where, columns) {
  return Object.entries(where).some(([name, condition]) =>
    isOfOtherType(
      findings.map((finding) => valueAt(finding, columns.get(name) ?? [])),
      condition,
    ),
  );
}

/**
 * Whether a finding meets all conditions.
 * @param {object} finding
 * @param {Record<string, unknown>} where
 * @param {Map<string, string[]>} columns
 */
export function meets(finding, where, columns) {
  return Object.entries(where).every(([name, condition]) =>
    holds(valueAt(finding, columns.get(name) ?? []), condition),
  );
}

/** @param {object[]} findings @param {string[]} path @param {"asc" | "desc"} [direction] */
export function sortBy(findings, path, direction) {
  return sortByAll(findings, [path], [direction]);
}

/**
 * @param {object[]} findings
 * @param {string[][]} paths the most important first
 * @param {("asc" | "desc" | undefined)[]} directions
 */
export function sortByAll(findings, paths, directions) {
  return findings.toSorted((one, other) => {
    for (const [place, path] of paths.entries()) {
      const [left, right] = [valueAt(one, path), valueAt(other, path)];
      const isLast = [left, right].some((value) => rank(value) >= rank(null));
      const order = rank(left) - rank(right) || compare(comparable(left), comparable(right));
      if (order !== 0) return isLast || directions[place] !== "desc" ? order : -order;
    }
    return 0;
  });
}

/** @param {unknown} value */
function rank(value) {
  const kinds = ["number", "string", "boolean", "object", "null", "undefined"];
  return kinds.indexOf(value === null ? "null" : typeof value);
}

/** @param {unknown} value */
function comparable(value) {
  return Array.isArray(value) ? JSON.stringify(value) : isObject(value) ? "" : value;
}

/** @param {any} left @param {any} right */
function compare(left, right) {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** @param {unknown} value @returns {value is object} */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
