/** Buttons. */

import { make } from "./element.js";

/** The class of a button, with styles in style/page.css. */
type Look = "outlined" | "primary" | "quiet";

/** Creates a button. Disabled by `aria-disabled`, it does nothing but stays focusable, so that the keyboard focus is not lost. */
export function makeButton(look: Look, text: string, press: () => void): HTMLButtonElement {
  const button = make("button", { type: "button", class: look }, text);
  button.addEventListener("click", () => {
    if (button.ariaDisabled !== "true") {
      press();
    }
  });
  return button;
}
