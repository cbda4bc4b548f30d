/** The notice above the findings, or in their place: what went wrong and what helps, or why there is nothing to see. */

import { FindingsError, type PartitionFailure } from "inspection-findings";
import { announce, byId, counted, make, messageOf, number, onPress } from "./page.js";
import type { LoadRequest } from "./request-form.js";

/** What happened, in plain words, by the code of the error. Its message says what to do. */
const headings: Record<string, string> = {
  network: "The service cannot be reached",
  timeout: "The service took too long",
  http: "The service refused the request",
  unauthorized: "The service does not accept the token",
  service: "The service reports an error",
  decode: "The response cannot be read",
  "too-large": "A partition is too large",
  incomplete: "The number of findings differs from the total",
  load: "The .wasm file cannot be loaded",
  memory: "Memory ran out",
};

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
    this.#show("plain", make("h2", {}, heading), make("p", {}, text));
  }

  showFailure(error: unknown, { options, inspectionKey }: LoadRequest): void {
    const failure = error instanceof FindingsError ? error : undefined;
    const isUnknown = failure?.status === 404;
    const heading = isUnknown
      ? `There is no inspection ${inspectionKey}`
      : (headings[failure?.code ?? ""] ?? "The request failed");
    const advice = isUnknown ? [make("p", {}, "Check the inspection key and the base URL, then load again.")] : [];
    const isForeign = failure?.code === "network" && new URL(String(options.baseUrl)).origin !== location.origin;
    this.#show(
      "bad",
      make("h2", {}, heading),
      ...advice,
      make("p", { class: "soft", dir: "auto" }, messageOf(error)),
      ...(isForeign ? corsAdvice() : []),
    );
  }

  /** Shows which partitions are missing, and the button that fetches them. */
  showPartial(failures: readonly PartitionFailure[], resume: () => void): void {
    const missing = counted(failures.length, "partition");
    const button = make("button", { type: "button", class: "primary" }, `Fetch ${missing}`);
    onPress(button, resume);
    const reasons = failures
      .slice(0, maxFailures)
      .map(({ partitionIndex, error }) =>
        make("li", { dir: "auto" }, `Partition ${number(partitionIndex)}: ${messageOf(error)}`),
      );
    const why = make("details", {}, make("summary", {}, "Why"), make("ul", {}, ...reasons));
    this.#show(
      "warn",
      make("h2", {}, `${missing} missing`),
      make("p", {}, "You can use the findings below meanwhile."),
      button,
      why,
    );
  }

  #show(tone: "plain" | "warn" | "bad", heading: HTMLElement, ...content: Node[]): void {
    const hadFocus = this.#element.contains(document.activeElement);
    this.#element.dataset.tone = tone;
    this.#element.hidden = false;
    this.#element.replaceChildren(heading, ...content);
    if (hadFocus) (this.#element.querySelector("button") ?? byId("result")).focus({ preventScroll: true });
    announce(heading.textContent);
  }
}

/** What a service of another origin must send. A browser does not tell a page which of it is missing. */
function corsAdvice(): Node[] {
  const headers = [
    `Access-Control-Allow-Origin: ${location.origin}`,
    "Access-Control-Allow-Headers: authorization, authentication",
    "Access-Control-Expose-Headers: Retry-After",
  ];
  return [
    make(
      "p",
      {},
      "If the base URL is right, the service probably does not allow this page to read its responses. It must send these headers, with errors and to OPTIONS requests, too:",
    ),
    make("pre", { tabindex: "0" }, headers.join("\n")),
  ];
}
