/** The notice of a partial result: the missing partitions, why they are missing, and the button that fetches them. */

import { makeButton } from "./button.js";
import { make } from "./element.js";
import { counted, number } from "./format.js";
import { messageOf } from "./message.js";
import type { PartialResult } from "./retrieval.js";

/** The most reasons in the list. */
const maxReasons = 50;

/** Creates the notice. */
export function partialNotice({ table, failures }: PartialResult, retry: () => void): Node[] {
  const missing = counted(failures.length, "partition");
  return [
    make(
      "div",
      { class: "partial" },
      make("div", {}, make("h2", {}, `${missing} missing`), make("p", {}, about(table.length))),
      makeButton("primary", `Retry ${missing}`, retry),
    ),
    make("details", {}, make("summary", {}, "Why"), reasons(failures)),
  ];
}

function about(received: number): string {
  const retry = "A retry requests only the missing partitions.";
  return received === 0
    ? `No findings have arrived. ${retry}`
    : `The ${counted(received, "finding")} that have arrived are below. ${retry}`;
}

function reasons(failures: PartialResult["failures"]): HTMLElement {
  const listed = failures
    .slice(0, maxReasons)
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
