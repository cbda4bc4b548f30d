/** The SQL panel of the page. Its code is loaded when it is first opened. */

import type { Explorer } from "../explorer/explorer.js";
import { byId, make } from "../page/element.js";
import { messageOf } from "../page/message.js";

/** Shows the panel whenever the explorer has a table. */
export function showSqlPanel(explorer: Explorer): void {
  const panel = byId("sql-panel");
  const details = byId<HTMLDetailsElement>("sql");
  const state = make("output", { class: "sql-state" });
  details.append(state);
  explorer.onShown(() => {
    panel.hidden = explorer.table === undefined;
  });
  details.addEventListener("toggle", () => details.open && load());

  let isLoading = false;

  /** Loads the code, unless that is done. An opening after a failure tries again. */
  async function load(): Promise<void> {
    if (isLoading) {
      return;
    }
    isLoading = true;
    state.textContent = "";
    try {
      const { fillSqlPanel } = await import("./panel.js");
      state.remove();
      fillSqlPanel(details, explorer);
    } catch (error) {
      state.textContent = messageOf(error);
      isLoading = false;
    }
  }
}
