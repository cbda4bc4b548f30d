/** Unchanged findings: they equal the result of `JSON.parse`, whatever they contain. */

import fc from "fast-check";
import { getFindings, getPartition } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { ruleCasesOf } from "../counts.js";
import { failureOf } from "./outcome.js";
import { expectSame } from "./same.js";
import { serve } from "./service.js";

/**
 * Decodes the body of a partition by the package, over a `fetch` in memory when thousands of bodies are tried.
 * @param {string | Uint8Array<ArrayBuffer>} body
 */
function decoded(body) {
  return getPartition(1, "topics", 0, { fetch: async () => new Response(body) });
}

const special = {
  "negative zero": '{"a":-0,"b":-0.0,"c":0,"d":-0e5}',
  "a number beyond every number": '{"a":1e400,"b":-1e400}',
  "numbers at the edges":
    '{"a":1e-400,"b":5e-324,"c":1.7976931348623157e308,"d":9007199254740993,"e":0.1,"f":1E+2,"g":123456789012345678901234567890}',
  "a lone surrogate": '{"a":"\\ud800","b":"\\udc00x","\\ud800":1,"c":"\\ud83d\\ude00","d":"\\ude00\\ud83d"}',
  "a duplicate key": '{"a":1,"b":2,"a":3}',
  "a duplicate key that is written in two ways": '{"a":1,"\\u0061":2}',
  "a key named __proto__": '{"__proto__":{"polluted":true},"a":{"__proto__":null},"b":{"__proto__":1,"__proto__":[2]}}',
  "keys of Object.prototype": '{"constructor":1,"toString":null,"hasOwnProperty":{},"length":0}',
  "keys that are indexes": '{"b":1,"10":2,"2":3,"a":4,"-1":5,"4294967295":6}',
  "an empty key": '{"":{"":[]}}',
  "escapes in keys and values": '{"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000"}',
  "missing and null": '{"a":null}',
  "nested values": '{"a":[1,[2,{"b":[{}]}],[]],"c":{"d":{"e":"f"}}}',
  "text of every width": '{"a":"é €  \u{1F600} \u2028 \u2029 \ufeff \uffff"}',
  "white space between all tokens": ' \n\r\t{ "a" \n: [ 1 , 2 ] , "b" : { } } ',
  "fields of its own named like the response's": '{"Findings":[1],"errors":["no failure"]}',
  nothing: "{}",
};

describe.for(Object.entries(special))("a finding with %s", ([, finding]) => {
  test("equals the result of JSON.parse", async () => {
    const body = `{"Findings":[${finding},{"next":1}],"errors":null}`;
    expectSame(await decoded(body), JSON.parse(body).Findings);
  });

  test("is unchanged through the service worker as well", async () => {
    const body = `{"errors":null,"Findings":[${finding}]}`;
    serve({
      partitions: 1,
      counts: { SentimentPartitions: 1 },
      respond: ({ index }) => (index < 0 ? undefined : new Response(body)),
    });
    expectSame(await getFindings(1, "sentiment"), JSON.parse(body).Findings);
  });
});

test("any JSON objects equal the result of JSON.parse", async () => {
  const bodies = fc.array(fc.dictionary(anyKey(), anyValue(), { maxKeys: 6 }), { maxLength: 5 }).map((findings) => {
    return JSON.stringify({ Findings: findings, errors: null });
  });
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => expectSame(await decoded(body), JSON.parse(body).Findings)),
    { numRuns: ruleCasesOf(500) },
  );
});

test("any spelling of JSON objects equals the result of JSON.parse", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyObjectText(), { maxLength: 4 }), anySpace(), async (findings, space) => {
      const body = `${space}{${space}"Findings"${space}:${space}[${findings.join(`${space},`)}]${space}}${space}`;
      expectSame(await decoded(body), JSON.parse(body).Findings);
    }),
    { numRuns: ruleCasesOf(500) },
  );
});

test("any bytes are refused by strict UTF-8 and JSON.parse, or equal their result", async () => {
  const start = '{"Findings":[{"a":"xyz","b":[1,{"c":-0}]}],"errors":null}';
  const change = fc.record({ at: fc.nat(start.length - 1), byte: fc.nat(255) });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      const body = new TextEncoder().encode(start);
      for (const { at, byte } of changes) {
        body[at] = byte;
      }
      const expected = strictly(body);
      if (expected === undefined) {
        expect(["decode", "service"]).toContain((await failureOf(decoded(body))).code);
      } else {
        expectSame(await decoded(body), expected);
      }
    }),
    { numRuns: ruleCasesOf(1000) },
  );
});

test("nesting to 128 levels inside a finding is accepted", async () => {
  for (const [open, close] of [
    ['{"a":', "}"],
    ["[", "]"],
  ]) {
    const value = `${open.repeat(128)}1${close.repeat(128)}`;
    const body = `{"Findings":[{"deep":${value}}]}`;
    expectSame(await decoded(body), JSON.parse(body).Findings);
  }
});

test("nesting to any depth traps nothing", async () => {
  for (const depth of [129, 1_000, 100_000, 1_000_000]) {
    for (const [open, close] of [
      ['{"a":', "}"],
      ["[", "]"],
    ]) {
      const outcome = await decoded(`{"Findings":[{"deep":${open.repeat(depth)}1${close.repeat(depth)}}]}`).then(
        () => "accepted",
        (error) => error.code,
      );
      expect(["accepted", "decode"]).toContain(outcome);
    }
  }
  expect(await decoded('{"Findings":[{}]}')).toEqual([{}]);
});

/** @param {Uint8Array<ArrayBuffer>} body */
function strictly(body) {
  try {
    const parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    const isObject = (/** @type {unknown} */ value) =>
      typeof value === "object" && value !== null && !Array.isArray(value);
    const isRight = isObject(parsed) && Array.isArray(parsed.Findings) && parsed.Findings.every(isObject);
    return isRight && (parsed.errors ?? null) === null ? parsed.Findings : undefined;
  } catch {
    return undefined;
  }
}

function anyKey() {
  return fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("", "__proto__", "constructor", "0", "10", "a.b", "Findings", "errors"),
  );
}

function anyValue() {
  return fc.jsonValue({ depthSize: "medium" });
}

function anySpace() {
  return fc.array(fc.constantFrom(" ", "\n", "\r", "\t"), { maxLength: 3 }).map((characters) => characters.join(""));
}

/** Unusual but valid JSON: every form of numbers and escapes, and duplicate keys. */
function anyObjectText() {
  const hex = fc.nat(0xffff).map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`);
  const character = fc.oneof(
    hex,
    fc.constantFrom('\\"', "\\\\", "\\/", "\\b", "\\n", "é", "\u{1F600}", "a", "b", " ", "{", "]", ",", ":"),
  );
  const text = fc.array(character, { maxLength: 5 }).map((characters) => `"${characters.join("")}"`);
  const digits = fc.array(fc.nat(9), { minLength: 1, maxLength: 25 }).map((several) => several.join(""));
  const whole = fc.oneof(
    fc.constant("0"),
    fc.nat(9).chain((first) => digits.map((rest) => `${first + 1}`.slice(0, 1) + rest)),
  );
  const fraction = fc.oneof(
    fc.constant(""),
    digits.map((some) => `.${some}`),
  );
  const exponent = fc.oneof(
    fc.constant(""),
    fc.tuple(fc.constantFrom("e", "E"), fc.constantFrom("", "+", "-"), fc.nat(400)).map((parts) => parts.join("")),
  );
  const number = fc.tuple(fc.constantFrom("", "-"), whole, fraction, exponent).map((parts) => parts.join(""));
  const { object } = fc.letrec((/** @type {any} */ tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom("null", "true", "false"),
      number,
      text,
      tie("array"),
      tie("object"),
    ),
    array: fc
      .tuple(anySpace(), fc.array(tie("value"), { maxLength: 4 }))
      .map(([space, values]) => `[${space}${values.join(`,${space}`)}]`),
    object: fc
      .tuple(anySpace(), fc.array(fc.tuple(fc.oneof(text, fc.constant('"__proto__"')), tie("value")), { maxLength: 4 }))
      .map(
        ([space, members]) => `{${space}${members.map(([key, value]) => `${key}${space}:${value}`).join(",")}${space}}`,
      ),
  }));
  return /** @type {fc.Arbitrary<string>} */ (object);
}
