/**
 * The code panel: a few lines of code that fetch what the page shows, to copy. Usage:
 *
 *     const codePanel = createCodePanel();
 *     parent.append(codePanel.element);
 *     codePanel.show({ inspectionKey, kind, baseUrl, tokenHeader, options, filter, sort, resumed });
 *
 * Call `show` after each retrieval and after each change of filter or order; undefined empties the panel. code.ts explains
 * the fields of the description. The styles are in style/code-panel.css.
 */

import { makeButton } from "../page/button.js";
import { make } from "../page/element.js";
import { codeFor, type Description } from "./code.js";
import { copyText } from "./copy-text.js";

export interface CodePanel {
  readonly element: HTMLElement;
  show(description: Description | undefined): void;
}

export function createCodePanel(): CodePanel {
  const code = make("code", {});
  // Focusable, because the keyboard must be able to scroll it.
  const lines = make(
    "pre",
    { class: "code-lines", tabindex: "0", role: "region", "aria-label": "Lines of code" },
    code,
  );
  const state = make("output", { class: "code-state" });
  const copy = makeButton("outlined", "Copy", async () => {
    state.textContent = await copyText(code);
  });
  copy.setAttribute("aria-disabled", "true");
  return {
    element: make(
      "section",
      { class: "code-panel", "aria-label": "Code" },
      make("div", { class: "code-actions" }, copy, state),
      lines,
    ),
    show(description) {
      const text = description === undefined ? "" : codeFor(description);
      if (text === code.textContent) {
        // Keeps what the reader has selected, and what the panel says.
        return;
      }
      code.textContent = text;
      copy.setAttribute("aria-disabled", String(description === undefined));
      state.textContent = "";
    },
  };
}
