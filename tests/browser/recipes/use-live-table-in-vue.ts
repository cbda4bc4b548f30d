/** The recipe for Vue: a composable that follows a live table. */

import type { LiveSnapshot, LiveTable } from "inspection-findings";
import { shallowRef, watchPostEffect } from "vue";

export function useLiveTable(watchTable: () => LiveTable) {
  const snapshot = shallowRef<LiveSnapshot>();
  // Vue runs this again when a prop that it reads changes, and never on a server.
  watchPostEffect((onCleanup) => {
    const live = watchTable();
    const update = () => {
      snapshot.value = live.getSnapshot();
    };
    update();
    live.subscribe(update);
    onCleanup(live.free);
  });
  return snapshot;
}
