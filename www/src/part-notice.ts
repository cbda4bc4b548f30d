/** The notice of a part: which partitions are missing, why, and the button that gets them. */

import { make } from "./element.js";
import { counted, number } from "./figure.js";
import type { Part } from "./retrieval.js";

/** So many reasons are listed; the notice says how many more there are. */
const most = 50;

/** What it is made known with that some partitions have failed. */
export function partNotice({ table, failures }: Part, retry: () => void): Node[] {
  const missing = counted(failures.length, "partition");
  const button = make("button", { type: "button", class: "primary" }, `Retry ${missing}`);
  button.addEventListener("click", retry);
  return [
    make(
      "div",
      { class: "part" },
      make("div", {}, make("h2", {}, `${missing} missing`), make("p", {}, about(table.length))),
      button,
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
        make("span", { dir: "auto" }, error instanceof Error ? error.message : String(error)),
      ),
    );
  const rest = failures.length - listed.length;
  return make("ul", {}, ...listed, ...(rest > 0 ? [make("li", {}, `and ${number(rest)} more`)] : []));
}
