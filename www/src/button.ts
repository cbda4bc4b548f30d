/** A button: how it looks, and what it does when it is pressed. */

import { make } from "./element.js";

/** Its classes; the looks themselves are in style/page.css. */
type Look = "outlined" | "primary" | "quiet";

/** A new button. Disabled by `aria-disabled` it does nothing but stays focusable, so that the keyboard does not lose its place. */
export function makeButton(look: Look, text: string, press: () => void): HTMLButtonElement {
  const button = make("button", { type: "button", class: look }, text);
  button.addEventListener("click", () => {
    if (button.ariaDisabled !== "true") {
      press();
    }
  });
  return button;
}
