/** The code of the code panel: it says what the page did, and never holds a token. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codeFor, type Description, tokenPlaceholder } from "../../www/src/code-panel/code.js";
import { literal, textLiteral } from "../../www/src/code-panel/literal.js";
import { timesOf } from "../counts.js";

const plain: Description = { inspectionKey: 2, kind: "sentiment", baseUrl: "https://host.test/cxi/" };

describe("a literal", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\ud800", "\u2028", "`", "\\", "__proto__"));

  test("is the value that it was made from", () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.double(),
        fc.bigInt(),
        fc.boolean(),
        fc.constantFrom(null, undefined, -0),
        fc.array(tie("value")),
        fc.array(fc.tuple(text, tie("value"))).map((entries) => Object.fromEntries(entries)),
      ),
    })).value;
    fc.assert(
      fc.property(value, (value) => {
        expect(evaluated(literal(value))).toStrictEqual(value);
      }),
      { numRuns: timesOf(1_000) },
    );
  });

  test("shows all that it has, in the order in which it runs, and ends no script", () => {
    fc.assert(
      fc.property(text, (text) => {
        expect(textLiteral(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]|<[/!]/u);
      }),
    );
    expect(textLiteral("a\u202eb</script><!--")).toBe('"a\\u202eb\\u003c/script>\\u003c!--"');
  });
});

describe("the code", () => {
  test("is a few lines for what was done with the defaults", () => {
    expect(codeFor(plain)).toBe(
      [
        'import { FindingsClient } from "inspection-findings";',
        "",
        'const client = new FindingsClient({ baseUrl: "https://host.test/cxi/" });',
        'const table = await client.loadTable(2, "sentiment");',
        "",
      ].join("\n"),
    );
  });

  test("has the options that differ from the defaults, the filter, the order and what was resumed", () => {
    const code = codeFor({
      inspectionKey: 9_007_199_254_740_993n,
      kind: "topics",
      baseUrl: "https://host.test/cxi/",
      tokenHeader: "authentication",
      options: {
        worker: "auto",
        concurrency: 8,
        retries: 0,
        timeout: undefined,
        failurePolicy: "collect",
        onProgress: () => {},
      },
      resumed: true,
      filter: { TopicGroup: ["Rooms", null], "Topic.Text": { contains: 'the "room"' }, Sentiment: { min: -1 } },
      sort: { path: "Comment", direction: "desc" },
    });
    expect(code).toBe(
      [
        'import { FindingsClient } from "inspection-findings";',
        "",
        "const client = new FindingsClient({",
        '  baseUrl: "https://host.test/cxi/",',
        '  headers: { authentication: "YOUR TOKEN" },',
        "  retries: 0,",
        '  failurePolicy: "collect",',
        "});",
        'const table = await client.loadTable(9007199254740993n, "topics").catch((error) => {',
        '  if (error.code !== "partial") throw error;',
        "  return error.resume(); // fetches the missing partitions",
        "});",
        "const view = table.filter({",
        '  TopicGroup: ["Rooms", null],',
        '  "Topic.Text": { contains: "the \\"room\\"" },',
        "  Sentiment: { min: -1 },",
        '}).sortBy("Comment", "desc");',
        "",
      ].join("\n"),
    );
  });

  test("of the built-in service says that only the demo can call it", () => {
    expect(
      codeFor({ ...plain, isBuiltIn: true })
        .split("\n")
        .slice(2, 4),
    ).toEqual([
      "// Only the demo can call its built-in service: insert the base URL of yours.",
      'const client = new FindingsClient({ baseUrl: "https://host.test/cxi/" });',
    ]);
  });

  test("has a placeholder for the token, whatever the options say", () => {
    const headers = { authorization: "Bearer secret" };
    const code = codeFor({ ...plain, tokenHeader: "authorization", options: { headers, token: "secret" } });
    expect(code).toContain(`authorization: "${tokenPlaceholder}"`);
    expect(code).not.toContain("secret");
  });
});

function evaluated(expression: string): unknown {
  return new Function(`"use strict"; return (${expression});`)();
}
