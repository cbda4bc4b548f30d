/** What a command prints on a terminal. */

import { expect, test } from "vitest";
import { tableText } from "../../../src/js/command/printed.js";

test("a table is aligned also where characters are wide, or take no room", () => {
  const texts = [
    ...["plain", "日本語", "ﾊﾝｶｸ", "한국어", "e\u0301te\u0301", "👩‍👩‍👧 ok", "🇩🇪", "ｆｕｌｌ", "zero\u200bwidth", "कि"],
  ];
  const widths = [5, 6, 4, 6, 3, 5, 2, 8, 9, 1];
  const lines = tableText(texts.map((text) => [text, 1]))
    .split("\n")
    .slice(0, -1);
  expect(lines).toEqual(texts.map((text, at) => `${text}${" ".repeat(9 - (widths[at] ?? 0))}  1`));
});
