/** The failure notice: what went wrong, in words, and what can be done about it. */

import { FindingsError } from "inspection-findings";
import { make } from "./element.js";
import { counted, number } from "./format.js";
import { messageOf } from "./message.js";

interface Advice {
  heading: string;
  advice: string;
}

const advices: Record<string, Advice> = {
  network: {
    heading: "The service could not be reached",
    advice:
      "Check the base URL and the connection. A service on another host has to allow this page’s origin (CORS); a browser does not say which of these it is.",
  },
  timeout: {
    heading: "The service took too long",
    advice: "Try again, or allow more time with the options timeout and totalTimeout.",
  },
  http: {
    heading: "The service refused the request",
    advice:
      "Check the inspection’s number and the base URL. If both are right, the service itself is in trouble: try again later.",
  },
  unauthorized: {
    heading: "The service does not accept the token",
    advice: "Get a new token, and check which of the two headers the service wants.",
  },
  service: {
    heading: "The service reports an error",
    advice:
      "The service answered, but without this partition’s findings. Its own words say why; most often the analysis has to run again.",
  },
  decode: {
    heading: "The answer cannot be read",
    advice:
      "The service, or something between, has damaged or replaced the answer. Try again, and show the position to whoever runs the service.",
  },
  "too-large": {
    heading: "A partition is too large",
    advice: "Raise the option maxPartitionBytes if the device has the memory for it.",
  },
  incomplete: {
    heading: "The number of findings is not the announced one",
    advice:
      "The inspection may be under analysis just now. Load it again; the option completeness can turn this check into a warning.",
  },
  load: {
    heading: "The module could not be loaded",
    advice:
      "Check that the .wasm file is served beside the package, and that the page’s content policy allows it. Loading again tries again.",
  },
  memory: { heading: "Memory ran out", advice: "Close other tabs, or load the inspection in parts." },
};

const unasked: Advice = { heading: "The request could not be made", advice: "Check what was entered above." };

/** What a failure is made known with. */
export function failureNotice(error: unknown): Node[] {
  const { heading, advice } = (error instanceof FindingsError && advices[error.code]) || unasked;
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

/** What the service said, unless the error’s message has said it already. */
function serviceMessages(error: unknown): Node[] {
  const told = error instanceof FindingsError ? error : undefined;
  const messages = told?.messages.filter((message) => !told.message.includes(message)) ?? [];
  return messages.length === 0
    ? []
    : [
        make("p", { class: "said" }, "The service’s own words:"),
        make("ul", { class: "said" }, ...messages.map((message) => make("li", { dir: "auto" }, message))),
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
    ...(attempts === undefined ? [] : ([["Asked", counted(attempts, "time")]] as [string, string][])),
  ];
}
