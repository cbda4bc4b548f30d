/**
 * The reader's own service: its base URL and its token. Usage, inside the form:
 *
 *     const realService = createRealService();
 *     form.append(realService.element);
 *     realService.element.disabled = true; // while the built-in service is chosen, so that the form does not validate it
 *     const { baseUrl, tokenHeader, headers } = realService.read(); // when the form is submitted
 *     new FindingsClient({ baseUrl, headers });
 *
 * Nothing is read from the page's URL. The token is stored for the session, together with the origin for which it was
 * typed: for another origin the field is empty. The form validates the fields. inspection-key.ts has the key, and
 * connection-advice.ts the advice when the service cannot be reached. The styles are in style/real-service.css.
 */

import { makeButton } from "../page/button.js";
import { make } from "../page/element.js";
import { originOf, problemOf } from "./base-url.js";
import { type Remembered, remember, remembered } from "./memory.js";

export type TokenHeader = "authorization" | "authentication";

/** The service, with its options for the client. */
export interface Chosen {
  baseUrl: string;
  tokenHeader: TokenHeader | undefined;
  headers: Record<string, string>;
}

export interface RealService {
  /** Disabled and hidden while another service is chosen. */
  readonly element: HTMLFieldSetElement;
  read(): Chosen;
}

export function createRealService(): RealService {
  const kept = remembered();
  const baseUrl = make("input", {
    ...{ id: "base-url", type: "url", required: "", placeholder: "https://host/cxi/" },
    ...{ autocomplete: "url", spellcheck: "false", value: kept.baseUrl },
  });
  const header = make(
    "select",
    { id: "token-header" },
    make("option", { value: "" }, "None"),
    make("option", { value: "authorization" }, "Authorization"),
    make("option", { value: "authentication" }, "authentication"),
  );
  header.value = kept.tokenHeader;
  const token = make("input", {
    ...{ id: "token", type: "password", required: "", autocomplete: "off", spellcheck: "false" },
    ...{ autocapitalize: "off", "aria-describedby": "token-about" },
  });
  const forget = makeButton("outlined", "Forget token", () => {
    kept.tokens = {};
    token.value = "";
    keep();
    (token.disabled ? baseUrl : token).focus();
  });
  let origin = originOf(kept.baseUrl);
  token.value = tokenFor(kept, origin);

  baseUrl.addEventListener("input", check);
  baseUrl.addEventListener("change", arrive);
  header.addEventListener("change", keep);
  token.addEventListener("input", check);
  token.addEventListener("change", keep);
  check();

  return {
    element: make(
      "fieldset",
      { class: "real-service" },
      make("legend", { class: "unseen" }, "Your own service"),
      field("wide", baseUrl, "Base URL"),
      field("", header, "Token header"),
      field("", token, "Token"),
      forget,
      make(
        "p",
        { id: "token-about", class: "real-service-about" },
        "The token is sent as you type it: include “Bearer” if the service expects it. This tab keeps the token until it is closed, for this service only.",
      ),
    ),
    read() {
      arrive();
      const tokenHeader = header.value === "" ? undefined : (header.value as TokenHeader);
      const headers: Record<string, string> = tokenHeader === undefined ? {} : { [tokenHeader]: token.value.trim() };
      return { baseUrl: baseUrl.value.trim(), tokenHeader, headers };
    },
  };

  /** Shows the token of the current origin. A token typed before any base URL belongs to the first origin. */
  function arrive(): void {
    const arrived = originOf(baseUrl.value);
    if (arrived !== origin) {
      token.value = origin === undefined && token.value !== "" ? token.value : tokenFor(kept, arrived);
      origin = arrived;
    }
    keep();
  }

  function keep(): void {
    kept.baseUrl = problemOf(baseUrl.value) === "" ? baseUrl.value.trim() : "";
    kept.tokenHeader = header.value;
    if (origin !== undefined) {
      kept.tokens[origin] = token.value.trim();
    }
    remember(kept);
    check();
  }

  function check(): void {
    baseUrl.setCustomValidity(problemOf(baseUrl.value));
    token.disabled = header.value === "";
    token.setCustomValidity(
      isSendable(token.value) ? "" : "A token contains no line breaks and no characters beyond Latin-1.",
    );
  }
}

function tokenFor({ tokens }: Remembered, origin: string | undefined): string {
  return origin !== undefined && Object.hasOwn(tokens, origin) ? (tokens[origin] ?? "") : "";
}

/** Whether the token is a valid value of a header. */
function isSendable(token: string): boolean {
  try {
    return new Headers({ authorization: token }).has("authorization");
  } catch {
    return false;
  }
}

function field(width: string, control: HTMLElement, label: string): HTMLElement {
  return make("div", { class: `field ${width}`.trim() }, make("label", { for: control.id }, label), control);
}
