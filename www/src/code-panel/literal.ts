/** JavaScript literals that are safe to paste anywhere. */

/** The most characters of a literal on one line, which has other code too. */
const maxWidth = 56;

/** The literal of a value of plain objects, arrays and scalars. An entry that is too long for a line is split. */
export function literal(value: unknown, indent = ""): string {
  if (Array.isArray(value)) {
    return bracketed(
      ["[", "]"],
      value.map((item) => (deeper) => literal(item, deeper)),
      indent,
    );
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([key, member]) =>
        (deeper: string) =>
          `${keyLiteral(key)}: ${literal(member, deeper)}`,
    );
    return bracketed(["{", "}"], members, indent);
  }
  return scalarLiteral(value);
}

/**
 * The literal of a text. Also escapes invisible characters (controls, direction marks, which would make code look different
 * from what it does, and lone surrogates), and what would end a script in HTML.
 */
export function textLiteral(text: string): string {
  const escaped = JSON.stringify(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, codeUnits);
  return escaped.replace(/<(?=[/!])/g, "\\u003c");
}

function codeUnits(text: string): string {
  return Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
    "",
  );
}

function scalarLiteral(value: unknown): string {
  switch (typeof value) {
    case "string":
      return textLiteral(value);
    case "bigint":
      return `${value}n`;
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
  }
  return String(value);
}

function keyLiteral(key: string): string {
  // Without the brackets, this key would set the prototype.
  if (key === "__proto__") {
    return '["__proto__"]';
  }
  return /^[a-z_$][\w$]*$/i.test(key) ? key : textLiteral(key);
}

function bracketed([open, close]: [string, string], items: ((indent: string) => string)[], indent: string): string {
  if (items.length === 0) {
    return open + close;
  }
  const space = open === "{" ? " " : "";
  const short = `${open}${space}${items.map((item) => item(indent)).join(", ")}${space}${close}`;
  if (indent.length + short.length <= maxWidth && !short.includes("\n")) {
    return short;
  }
  const deeper = `${indent}  `;
  return `${open}\n${items.map((item) => `${deeper}${item(deeper)},\n`).join("")}${indent}${close}`;
}
