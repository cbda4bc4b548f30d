/**
 * Advice for a service of another origin that cannot be reached. A browser tells a page only that a request failed, not
 * whether CORS forbids it, the host does not exist, or the service is down. Usage, in the notice of the failure:
 *
 *     if (isUnreachable(error, baseUrl)) notice.append(createConnectionAdvice({ baseUrl, tokenHeader }));
 *
 * Sends one request in the mode `no-cors`, without a token, which browsers allow to any host: a response means that
 * only the CORS headers are missing. The styles are in style/real-service.css.
 */

import { FindingsError } from "inspection-findings";
import { make } from "../page/element.js";
import { isThisMachine } from "./base-url.js";
import type { TokenHeader } from "./real-service.js";

interface Service {
  baseUrl: string | URL;
  tokenHeader: TokenHeader | undefined;
}

/** Milliseconds to wait for a response of the host. */
const probeTimeout = 8_000;

/** Whether the counts request to another origin failed. A connection that breaks later has other reasons. */
export function isUnreachable(error: unknown, baseUrl: string | URL): boolean {
  const isFirst = error instanceof FindingsError && error.code === "network" && error.partitionIndex === undefined;
  return isFirst && new URL(baseUrl).origin !== location.origin;
}

export function createConnectionAdvice({ baseUrl, tokenHeader }: Service): HTMLElement {
  const { origin } = new URL(baseUrl);
  const finding = make(
    "p",
    { class: "connection-finding", "aria-live": "polite" },
    `Checking whether ${origin} responds …`,
  );
  showResult(finding, origin);
  return make(
    "section",
    { class: "connection-advice", "aria-label": "What to check" },
    finding,
    make("ul", {}, ...checks(new URL(baseUrl), tokenHeader).map((check) => make("li", {}, check))),
    make("p", {}, "What to ask the service’s operator for:"),
    make("pre", { tabindex: "0", role: "region", "aria-label": "Headers to ask for" }, requiredHeaders(tokenHeader)),
  );
}

async function showResult(finding: HTMLElement, origin: string): Promise<void> {
  finding.textContent = (await responds(origin))
    ? `${origin} responds, but does not allow pages of ${location.origin} to read its responses: the headers below are missing or have other values.`
    : `${origin} does not respond, or not in time: most likely the URL is wrong, the service is down, or its certificate is not trusted.`;
}

async function responds(origin: string): Promise<boolean> {
  try {
    await fetch(origin, {
      mode: "no-cors",
      credentials: "omit",
      cache: "no-store",
      signal: AbortSignal.timeout(probeTimeout),
    });
    return true;
  } catch {
    return false;
  }
}

function checks(service: URL, tokenHeader: TokenHeader | undefined): string[] {
  const preflight =
    tokenHeader === undefined
      ? []
      : [
          `Because of the header ${tokenHeader}, the browser first sends an OPTIONS request without the token (a preflight). The service must respond to it with a status of 200 to 299, not with 401.`,
        ];
  const neighbour =
    isThisMachine(service) && !isThisMachine(location)
      ? [
          "The service is on this machine: the browser may ask for permission before a page from the internet can reach it.",
        ]
      : [];
  return [
    "Check the base URL, including host and port: does it open in a separate tab?",
    ...preflight,
    "Error responses need the headers too. Without them, the browser hides the status of a 401 or 500, and reports only this failure.",
    ...neighbour,
  ];
}

function requiredHeaders(tokenHeader: TokenHeader | undefined): string {
  const forToken = [
    "Access-Control-Allow-Methods: GET",
    `Access-Control-Allow-Headers: ${tokenHeader}`,
    "Access-Control-Max-Age: 600",
  ];
  return [
    `Access-Control-Allow-Origin: ${location.origin}`,
    ...(tokenHeader === undefined ? [] : forToken),
    "Access-Control-Expose-Headers: Retry-After",
  ].join("\n");
}
