/** The notice above the findings, or in their place: what went wrong and what helps, or why there is nothing to see. */

import { FindingsError, messageOf, type PartitionFailure } from "inspection-findings";
import { announce, byId, counted, make, onPress, textOf } from "./page.js";
import type { LoadRequest } from "./request-form.js";

/** The most failures in the list. */
const maxFailures = 20;

export class Notice {
  readonly #element = byId("notice");

  clear(): void {
    // The focus moves on from a button that is removed.
    if (this.#element.contains(document.activeElement)) byId("result").focus({ preventScroll: true });
    this.#element.hidden = true;
    this.#element.replaceChildren();
  }

  showText(heading: string, text: string): void {
    this.#show("plain", heading, make("p", {}, text));
  }

  showFailure(error: unknown, { options }: LoadRequest): void {
    const isNetwork = error instanceof FindingsError && error.code === "network";
    const isForeign = isNetwork && new URL(String(options.baseUrl)).origin !== location.origin;
    const details = make("p", { class: "soft", dir: "auto" }, textOf(error));
    this.#show("bad", messageOf(error) ?? "Cancelled", details, ...(isForeign ? corsAdvice() : []));
  }

  /** Shows how many partitions are missing, why, and the button that fetches them. */
  showMissing(partitions: number, failures: readonly PartitionFailure[], resume: () => void): void {
    const missing = counted(partitions, "partition");
    const button = make("button", { type: "button", class: "primary" }, `Fetch ${missing}`);
    onPress(button, resume);
    const reasons = failures.slice(0, maxFailures).map(({ error }) => make("li", { dir: "auto" }, textOf(error)));
    const why = make("details", {}, make("summary", {}, "Why"), make("ul", {}, ...reasons));
    const text = make("p", {}, "You can use the findings below meanwhile.");
    this.#show("warn", `${missing} missing`, text, button, ...(failures.length === 0 ? [] : [why]));
  }

  #show(tone: "plain" | "warn" | "bad", heading: string, ...content: Node[]): void {
    const hadFocus = this.#element.contains(document.activeElement);
    this.#element.dataset.tone = tone;
    this.#element.hidden = false;
    this.#element.replaceChildren(make("h2", {}, heading), ...content);
    if (hadFocus) (this.#element.querySelector("button") ?? byId("result")).focus({ preventScroll: true });
    announce(heading);
  }
}

/** What a service of another origin must send. A browser does not tell a page which of it is missing. */
function corsAdvice(): Node[] {
  const why =
    "If the base URL is right, the service does not allow this page to read its responses. It must send these headers, with errors and to OPTIONS requests, too:";
  const headers = [
    `Access-Control-Allow-Origin: ${location.origin}`,
    "Access-Control-Allow-Headers: authorization, authentication",
    "Access-Control-Expose-Headers: Retry-After, X-Request-Id",
  ];
  return [make("p", {}, why), make("pre", { tabindex: "0" }, headers.join("\n"))];
}
