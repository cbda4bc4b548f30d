/** The failure notice: what went wrong, and what to do about it. */

import { FindingsError } from "inspection-findings";
import { make } from "../page/element.js";
import { number } from "../page/format.js";
import { messageOf } from "../page/message.js";

interface Advice {
  heading: string;
  advice: string;
}

const advices: Record<string, Advice> = {
  network: {
    heading: "The service could not be reached",
    advice:
      "Check the base URL and the connection. A service on another host must allow this page’s origin (CORS). The browser does not reveal which of these is wrong.",
  },
  timeout: {
    heading: "The service took too long",
    advice: "Try again, or allow more time with the options timeout and totalTimeout.",
  },
  http: {
    heading: "The service refused the request",
    advice:
      "Check the inspection key and the base URL. If both are right, the service itself has a problem: try again later.",
  },
  unauthorized: {
    heading: "The service does not accept the token",
    advice: "Get a new token, and check which of the two headers the service expects.",
  },
  service: {
    heading: "The service reports an error",
    advice:
      "The service responded without this partition’s findings. Its messages say why; most often the analysis must run again.",
  },
  decode: {
    heading: "The response cannot be read",
    advice:
      "The service, or a proxy in front of it, has damaged or replaced the response. Try again. If it fails again, report the position to the service’s operator.",
  },
  "too-large": {
    heading: "A partition is too large",
    advice: "Raise the option maxPartitionBytes if the device has the memory for it.",
  },
  incomplete: {
    heading: "The number of findings differs from the total",
    advice:
      "The inspection was probably re-analysed meanwhile: load it again. The option completeness can turn this check into a warning.",
  },
  load: {
    heading: "The .wasm file could not be loaded",
    advice:
      "Check that the .wasm file is served beside the package, and that the page’s content security policy allows it. Then load again.",
  },
  memory: { heading: "Memory ran out", advice: "Close other tabs, then load again." },
};

const badRequest: Advice = { heading: "The request could not be made", advice: "Check the fields above." };

/** Creates the notice. */
export function failureNotice(error: unknown): Node[] {
  const { heading, advice } = (error instanceof FindingsError && advices[error.code]) || badRequest;
  return [
    make("h2", {}, heading),
    make("p", { class: "message" }, messageOf(error)),
    ...serviceMessages(error),
    make("p", { class: "advice" }, make("strong", {}, "What to do: "), advice),
    make(
      "dl",
      { class: "facts" },
      ...facts(error).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
    ),
  ];
}

/** The messages of the service, except those in the error’s message. */
function serviceMessages(error: unknown): Node[] {
  const failure = error instanceof FindingsError ? error : undefined;
  const messages = failure?.messages.filter((message) => !failure.message.includes(message)) ?? [];
  return messages.length === 0
    ? []
    : [
        make("p", { class: "service-messages" }, "Messages of the service:"),
        make("ul", { class: "service-messages" }, ...messages.map((message) => make("li", { dir: "auto" }, message))),
      ];
}

function facts(error: unknown): [string, string][] {
  if (!(error instanceof FindingsError)) {
    return [["Error", error instanceof Error ? error.name : typeof error]];
  }
  const { code, status, partitionIndex, attempts } = error;
  return [
    ["Code", code],
    ...(status === undefined ? [] : ([["Status", String(status)]] as [string, string][])),
    ...(partitionIndex === undefined ? [] : ([["Partition", number(partitionIndex)]] as [string, string][])),
    ...(attempts === undefined ? [] : ([["Attempts", number(attempts)]] as [string, string][])),
  ];
}
