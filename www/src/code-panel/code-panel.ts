/**
 * The code panel: the few lines that do what the page just did, to copy. How it is placed:
 *
 *     const codePanel = createCodePanel();
 *     parent.append(codePanel.element);
 *     codePanel.show({ inspectionKey, kind, baseUrl, tokenHeader, options, filter, sort, resumed });
 *
 * `show` is called after each retrieval and whenever filter or order change; undefined empties it. What the fields of
 * the description mean is in code.ts. The look is in style/code-panel.css.
 */

import { makeButton } from "../button.js";
import { make } from "../element.js";
import { codeFor, type Description } from "./code.js";
import { copyText } from "./copy-text.js";

export interface CodePanel {
  readonly element: HTMLElement;
  show(description: Description | undefined): void;
}

export function createCodePanel(): CodePanel {
  const code = make("code", {});
  // It scrolls, therefore the keyboard has to reach it.
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
      code.textContent = description === undefined ? "" : codeFor(description);
      copy.setAttribute("aria-disabled", String(description === undefined));
      state.textContent = "";
    },
  };
}
