/** Redaction: which texts quote a header. What is kept of the cause of a failed request is proved by failures.test.ts. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Redaction } from "../../src/js/core/host/redaction.js";
import { timesOf } from "../counts.js";

const secret = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0";
const leftOut = "(left out)";
const token = { "x-token": "abcabcdef" };

function redactionOf(headers: HeadersInit) {
  return new Redaction([new Headers(headers)], leftOut);
}

type Case = [what: string, headers: HeadersInit, text: string];

const namesOfSecrets = ["x-token", "X-Api-Key", "clientsecret", "x-session-id", "x-password", "x-auth"];

const quoted: Case[] = [
  ["a parameter of an authorization", { authorization: 'Digest username="ann-b", uri="/"' }, "no user ann-b"],
  ["an authorization of three characters", { Authorization: "qx7" }, "No qx7."],
  ["a bearer token of three characters", { Authorization: "Bearer qx7" }, "No qx7."],
  ["an authentication of three characters", { authentication: "qx7" }, "No qx7."],
  ["a cookie of three characters", { cookie: "qx7" }, "No qx7."],
  ...namesOfSecrets.map((name): Case => [`four characters of the header ${name}`, { [name]: "qx7z" }, "No qx7z."]),
  ["four characters of another authorization", { "proxy-authorization": "Basic qx7z" }, "No qx7z."],
  ["one of two values of a header", Object.entries({ "x-token": `${secret}, other-one` }), "No other-one."],
  ["four characters of a value, and an ellipsis", token, "No abca…"],
  ["the beginning of a value after another beginning, and an ellipsis", token, "No abcabcabcd… is known"],
  ["a password of the basic scheme", { authorization: "Basic YW5uOmh1bnRlcjI=" }, "hunter2 is wrong"],
];

test.for(quoted)("a text with %s quotes it", ([, headers, text]) => {
  expect(redactionOf(headers).quotes(text)).toBe(true);
});

test.for<Case>([
  ["a header of three characters that says token", { "x-token": "so." }, "Not so."],
  ["a short word of a long value", { "x-purpose": "dashboard of reviews" }, "No reviews."],
  ["a header that names an author", { "x-author": "Example" }, "No Example."],
  ["the type that the package accepts", { accept: "application/json" }, "No application/json."],
  ["three characters of a value, and an ellipsis", token, "No abc…"],
  ["the beginning of a value", token, "No abcabc and…"],
  ["a short value that is a code of a space", { cookie: "a=%20" }, "No space is left."],
])("a text with %s quotes nothing", ([, headers, text]) => {
  expect(redactionOf(headers).quotes(text)).toBe(false);
});

describe("whatever its name is, a header", () => {
  const ascii = fc.stringMatching(/^[!#-+\--:<-~]{16,60}$/);
  const name = fc.stringMatching(/^[a-z][a-z-]{0,20}$/).filter((name) => name !== "accept");

  /** How a header carries a token. */
  const carriers: ((token: string) => string)[] = [
    (token) => token,
    (token) => `Bearer ${token}`,
    (token) => `Basic ${btoa(token)}`,
    (token) => `Basic ${btoa(`ann:${token}`)}`,
    (token) => `Custom id="${token}", v=1`,
    (token) => `v=1; id=${token}`,
    (token) => `other, ${token}`,
  ];

  /** How a service codes a text. */
  const codings: Record<string, (text: string) => string> = {
    none: (text) => text,
    percent: encodeURIComponent,
    "percent in lower case": (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
    JSON: (text) => JSON.stringify(text).slice(1, -1),
    "JSON of .NET": (text) => JSON.stringify(text).slice(1, -1).replaceAll("+", "\\u002B"),
    slashes: (text) => text.replace(/[/"\\]/g, "\\$&"),
  };

  test("whose value has a token of 16 characters or more is quoted by each text with it, and where it is cut", () => {
    const coding = fc.constantFrom(...Object.values(codings));
    fc.assert(
      fc.property(name, ascii, fc.constantFrom(...carriers), coding, fc.nat(), (name, token, carry, code, cut) => {
        const redaction = redactionOf({ [name]: carry(token) });
        const text = code(`no ${token}`);
        expect(redaction.quotes(`${text} is known`), text).toBe(true);
        // Of a code, its beginning may be left.
        if (code === codings.none) expect(redaction.quotes(`${text.slice(0, 7 + (cut % 12))}…`)).toBe(true);
      }),
      { numRuns: timesOf(5_000) },
    );
  });

  test("of ordinary words is quoted by no text, unless its name is one of a credential", () => {
    const words = fc.stringMatching(/^[a-z][a-z0-9 .-]{0,13}[a-z]$/);
    const ordinary = fc.constantFrom("x-env", "x-tenant", "x-request-id", "user-agent", "x-client", "accept-language");
    fc.assert(
      fc.property(ordinary, words, fc.string(), (name, value, before) => {
        expect(redactionOf({ [name]: value }).quotes(`${before}${value}`)).toBe(false);
      }),
      { numRuns: timesOf(5_000) },
    );
  });
});
