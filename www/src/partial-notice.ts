/** The notice of a part: which partitions are missing, why, and the button that gets them. */

import { makeButton } from "./button.js";
import { make } from "./element.js";
import { counted, number } from "./format.js";
import { messageOf } from "./message.js";
import type { Part } from "./retrieval.js";

/** The most reasons that are listed; the notice says how many more there are. */
const most = 50;

/** What it is made known with that some partitions have failed. */
export function partNotice({ table, failures }: Part, retry: () => void): Node[] {
  const missing = counted(failures.length, "partition");
  return [
    make(
      "div",
      { class: "part" },
      make("div", {}, make("h2", {}, `${missing} missing`), make("p", {}, about(table.length))),
      makeButton("primary", `Retry ${missing}`, retry),
    ),
    make("details", {}, make("summary", {}, "Why"), reasons(failures)),
  ];
}

function about(there: number): string {
  return there === 0
    ? "No findings have come. A retry asks for what is missing, and for nothing else."
    : `Below are the ${counted(there, "finding")} that have come. A retry asks for what is missing, and for nothing else.`;
}

function reasons(failures: Part["failures"]): HTMLElement {
  const listed = failures
    .slice(0, most)
    .map(({ partitionIndex, error }) =>
      make(
        "li",
        {},
        make("strong", {}, `Partition ${number(partitionIndex)}: `),
        make("span", { dir: "auto" }, messageOf(error)),
      ),
    );
  const rest = failures.length - listed.length;
  return make("ul", {}, ...listed, ...(rest > 0 ? [make("li", {}, `and ${number(rest)} more`)] : []));
}
