/**
 * The service of the reader's own: where it is, and the token that it wants. How it is placed, inside of the form:
 *
 *     const realService = createRealService();
 *     form.append(realService.element);
 *     realService.element.disabled = true; // while the built-in service is chosen: the form does not check it then
 *     const { baseUrl, tokenHeader, headers } = realService.read(); // when the form is submitted
 *     new FindingsClient({ baseUrl, headers });
 *
 * Nothing is taken from the address. The token is kept for the session, for the origin that it was typed for: under
 * another origin its field is empty. The form's own check says what is wrong. The key has its own module,
 * inspection-key.ts; what is said when the service cannot be reached comes from connection-advice.ts. The look is in
 * style/real-service.css.
 */

import { makeButton } from "../button.js";
import { make } from "../element.js";
import { originOf, troubleWith } from "./base-url.js";
import { type Remembered, remember, remembered } from "./memory.js";

export type TokenHeader = "authorization" | "authentication";

/** The service as the package is told of it. */
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
        "The token is sent as you type it, “Bearer” included where the service wants that word. This tab keeps it until it is closed, and for this service alone.",
      ),
    ),
    read() {
      arrive();
      const tokenHeader = header.value === "" ? undefined : (header.value as TokenHeader);
      const headers: Record<string, string> = tokenHeader === undefined ? {} : { [tokenHeader]: token.value.trim() };
      return { baseUrl: baseUrl.value.trim(), tokenHeader, headers };
    },
  };

  /** At another origin the token of the one before is gone. One that was typed before any origin is for the first. */
  function arrive(): void {
    const arrived = originOf(baseUrl.value);
    if (arrived !== origin) {
      token.value = origin === undefined && token.value !== "" ? token.value : tokenFor(kept, arrived);
      origin = arrived;
    }
    keep();
  }

  function keep(): void {
    kept.baseUrl = troubleWith(baseUrl.value) === "" ? baseUrl.value.trim() : "";
    kept.tokenHeader = header.value;
    if (origin !== undefined) {
      kept.tokens[origin] = token.value.trim();
    }
    remember(kept);
    check();
  }

  function check(): void {
    baseUrl.setCustomValidity(troubleWith(baseUrl.value));
    token.disabled = header.value === "";
    token.setCustomValidity(isSendable(token.value) ? "" : "A token has no line breaks and no letters beyond Latin-1.");
  }
}

function tokenFor({ tokens }: Remembered, origin: string | undefined): string {
  return origin !== undefined && Object.hasOwn(tokens, origin) ? (tokens[origin] ?? "") : "";
}

/** Whether it can be the value of a header. */
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
