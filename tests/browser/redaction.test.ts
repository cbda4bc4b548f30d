/** Redaction: which texts quote a header, and what is kept of the cause of a failed request. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Redaction } from "../../src/js/host/redaction.js";
import { timesOf } from "../counts.js";

const secret = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0";
const leftOut = "(left out)";
const bearer = { authorization: `Bearer ${secret}` };
const token = { "x-token": "abcabcdef" };

function redactionOf(headers: HeadersInit) {
  return new Redaction([new Headers(headers)], leftOut);
}

type Case = [what: string, headers: HeadersInit, text: string];

const namesOfSecrets = ["x-token", "X-Api-Key", "clientsecret", "x-session-id", "x-password", "x-auth"];

const quoted: Case[] = [
  ["the value of a header", bearer, `"Bearer ${secret}" is wrong`],
  ["a parameter of an authorization", { authorization: 'Digest username="ann-b", uri="/"' }, "no user ann-b"],
  ["an authorization of three characters", { Authorization: "qx7" }, "No qx7."],
  ["a bearer token of three characters", { Authorization: "Bearer qx7" }, "No qx7."],
  ["an authentication of three characters", { authentication: "qx7" }, "No qx7."],
  ["a cookie of three characters", { cookie: "qx7" }, "No qx7."],
  ...namesOfSecrets.map((name): Case => [`four characters of the header ${name}`, { [name]: "qx7z" }, "No qx7z."]),
  ["four characters of another authorization", { "proxy-authorization": "Basic qx7z" }, "No qx7z."],
  ["another header of sixteen characters", { "x-tenant": "qx7zqx7zqx7zqx7z" }, "No qx7zqx7zqx7zqx7z."],
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
  ["another header of fifteen characters", { "x-tenant": "qx7zqx7zqx7zqx7" }, "No qx7zqx7zqx7zqx7."],
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
  const token = fc.oneof(ascii, fc.stringMatching(/^[\w.+/=-]{16}[\u00a1-\u00ff]{0,20}[\w.+/=-]$/));
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

  const hex = (character: string, digits: number) => character.charCodeAt(0).toString(16).padStart(digits, "0");
  const page = document.createElement("p");
  const named = { "!": "excl", "+": "plus", "/": "sol", "=": "equals", "&": "amp", "|": "verbar", _: "lowbar" };

  /** How a service codes a text. Those of `URLSearchParams`, JSON, HTML and base64 are the host's. */
  const codings: Record<string, (text: string) => string> = {
    none: (text) => text,
    form: (text) => new URLSearchParams([["", text]]).toString().slice(1),
    percent: (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
    "percent of every character": (text) => text.replace(/[\0-\x7f]/g, (one) => `%${hex(one, 2)}`),
    JSON: (text) => JSON.stringify(text).slice(1, -1),
    "JSON of every character": (text) => text.replace(/./gs, (one) => `\\u${hex(one, 4).toUpperCase()}`),
    slashes: (text) => text.replace(/[/"\\]/g, "\\$&"),
    "hexadecimal escapes": (text) => text.replace(/[^a-z]/g, (one) => `\\x${hex(one, 2)}`),
    HTML: (text) => {
      page.textContent = text;
      return page.innerHTML.replaceAll('"', "&quot;");
    },
    "HTML's names": (text) => text.replace(/[!+/=&|_]/g, (one) => `&${named[one as "!"]};`),
    "HTML's decimal numbers": (text) => text.replace(/[^a-z]/g, (one) => `&#${one.charCodeAt(0)};`),
    "HTML's hexadecimal numbers": (text) => text.replace(/[^a-z]/g, (one) => `&#x${hex(one, 1)};`),
  };
  const coding = fc.constantFrom(...Object.keys(codings));
  const coded = (text: string, around: string[]) => around.reduce((text, name) => codings[name]?.(text) ?? "", text);

  test("whose value has a token of 16 characters or more is quoted by each text with it, coded up to three times", () => {
    const texts = fc.tuple(fc.string(), fc.array(coding, { maxLength: 3 }), fc.string());
    fc.assert(
      fc.property(name, token, fc.constantFrom(...carriers), texts, (name, token, carry, [before, around, after]) => {
        const text = coded(`${before} ${token} ${after}`, around);
        expect(redactionOf({ [name]: carry(token) }).quotes(text), text).toBe(true);
      }),
      { numRuns: timesOf(5_000) },
    );
  });

  test("whose value has such a token is quoted where the token is cut, also within a code, and in base64 at any place", () => {
    const inBase64 = (text: string) => btoa(text).replace(/=+$/, "");
    fc.assert(
      fc.property(name, ascii, coding, fc.nat(), fc.stringMatching(/^[ -~]*$/), (name, token, one, cut, before) => {
        const redaction = redactionOf({ [name]: token });
        // The code of a character has at most six characters, and four characters suffice.
        const length = 30 + (cut % 30);
        expect(redaction.quotes(`${before} ${coded(token, [one]).slice(0, length)}…`)).toBe(true);
        const base64 = inBase64(`${before}${token}${before}`);
        for (const text of [base64, base64.replaceAll("+", "-").replaceAll("/", "_"), encodeURIComponent(base64)]) {
          expect(redaction.quotes(`{"headers":"${text}"}`)).toBe(true);
        }
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

describe("of the cause of a failed request", () => {
  const causeOf = (cause: unknown) => redactionOf(bearer).cause(cause) as any;

  test("the name, the message, the code and the stack are kept, also of its causes, and no other member", () => {
    const inner = Object.assign(new Error("refused", { cause: new Error("lost") }), { code: "ECONNREFUSED" });
    const outer = Object.assign(new TypeError("fetch failed", { cause: inner }), { code: 7, request: bearer });
    const told = (error: any) => [error.name, error.message, error.code, error.stack];
    const cause = causeOf(outer);
    expect(cause).toBeInstanceOf(TypeError);
    expect([told(cause), told(cause.cause)]).toEqual([told(outer), told(inner)]);
    expect(cause.cause.cause).toMatchObject({ message: "lost" });
    expect(Object.keys(cause)).toEqual(["code"]);
  });

  test("each text that quotes a header is left out", () => {
    const quoting = { message: `no ${secret}`, name: secret, code: secret, stack: `at ${secret}` };
    const cause = causeOf(new TypeError("fetch failed", { cause: quoting }));
    expect(cause.message).toBe("fetch failed");
    expect(cause.cause).toMatchObject({ name: leftOut, message: leftOut, stack: `${leftOut}: ${leftOut}` });
    expect("code" in cause.cause).toBe(false);
    for (const primitive of [`no ${secret}`, Symbol(secret)]) expect(causeOf(primitive)).toBe(leftOut);
  });

  test("what is no object stays, and members that throw are missing", () => {
    for (const primitive of ["no route", 7, null, 7n, Symbol.iterator]) expect(causeOf(primitive)).toBe(primitive);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(causeOf(proxy)).toMatchObject({ name: "Error", message: "" });
  });

  test("four levels are kept, although it is its own cause", () => {
    const round = new Error("round");
    round.cause = round;
    const last = causeOf(round).cause.cause.cause;
    expect([last.message, "cause" in last]).toEqual(["round", false]);
  });
});
