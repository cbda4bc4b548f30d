/**
 * The advice where a service of another origin cannot be reached. A browser tells a page only that a request has failed:
 * whether the service forbids it to be asked from here (CORS), has no such host, or is down, has to be found out. How it
 * is placed, in the notice of the failure:
 *
 *     if (isUnreachable(error, baseUrl)) notice.append(createConnectionAdvice({ baseUrl, tokenHeader }));
 *
 * It asks the host once more, without a token and for nothing to be read, which a browser lets every page do: when an
 * answer comes, what is missing is the permission. The look is in style/real-service.css.
 */

import { FindingsError } from "inspection-findings";
import { make } from "../element.js";
import { isThisMachine } from "./base-url.js";
import type { TokenHeader } from "./real-service.js";

interface Service {
  baseUrl: string | URL;
  tokenHeader: TokenHeader | undefined;
}

/** How long the host may take to show that it is there. */
const patience = 8_000;

/** Whether not even the counts came, from a service of another origin. A connection that breaks later has other reasons. */
export function isUnreachable(error: unknown, baseUrl: string | URL): boolean {
  const isFirst = error instanceof FindingsError && error.code === "network" && error.partitionIndex === undefined;
  return isFirst && new URL(baseUrl).origin !== location.origin;
}

export function createConnectionAdvice({ baseUrl, tokenHeader }: Service): HTMLElement {
  const { origin } = new URL(baseUrl);
  const finding = make(
    "p",
    { class: "connection-finding", "aria-live": "polite" },
    `Looking whether ${origin} answers at all …`,
  );
  tellWhether(finding, origin);
  return make(
    "section",
    { class: "connection-advice", "aria-label": "What to check" },
    finding,
    make("ul", {}, ...checks(new URL(baseUrl), tokenHeader).map((check) => make("li", {}, check))),
    make("p", {}, "What to ask the service’s operator for:"),
    make("pre", { tabindex: "0", role: "region", "aria-label": "Headers to ask for" }, askedFor(tokenHeader)),
  );
}

async function tellWhether(finding: HTMLElement, origin: string): Promise<void> {
  finding.textContent = (await answers(origin))
    ? `${origin} answers, but does not let pages of ${location.origin} read what it says: the headers below are missing or say something else.`
    : `${origin} does not answer at all, or not in time: most likely the address is wrong, the service is down, or its certificate is not trusted.`;
}

async function answers(origin: string): Promise<boolean> {
  try {
    await fetch(origin, {
      mode: "no-cors",
      credentials: "omit",
      cache: "no-store",
      signal: AbortSignal.timeout(patience),
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
          `Because of the header ${tokenHeader} the browser asks for permission first, by OPTIONS and without the token: the service has to answer that with a status of 200 to 299, and not with 401.`,
        ];
  const neighbour =
    isThisMachine(service) && !isThisMachine(location)
      ? ["The service is on this machine: the browser may have to be allowed to reach it from a page of the internet."]
      : [];
  return [
    "Is the base URL right, host and port included, and does it open in a tab of its own?",
    ...preflight,
    "The permission has to be in answers that are errors, too. Where it is left out of a 401 or 500, the browser reports no status but this.",
    ...neighbour,
  ];
}

function askedFor(tokenHeader: TokenHeader | undefined): string {
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
