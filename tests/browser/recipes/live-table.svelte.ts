/** The recipe for Svelte: a reactive value that follows a live table. */

import type { LiveSnapshot, LiveTable } from "inspection-findings";

export function followed(watchTable: () => LiveTable) {
  let snapshot = $state.raw<LiveSnapshot>();
  // Svelte runs this again when a prop that it reads changes, and never on a server.
  $effect(() => {
    const live = watchTable();
    const update = () => {
      snapshot = live.getSnapshot();
    };
    update();
    live.subscribe(update);
    return live.free;
  });
  return {
    get snapshot() {
      return snapshot;
    },
  };
}
