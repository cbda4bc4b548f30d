/** The recipe for Vue: a reference that follows a live table, and the functions of its buttons. */

import type { LiveSnapshot, LiveTable } from "inspection-findings";
import { shallowRef, watchPostEffect } from "vue";

export function useLiveTable(watchTable: () => LiveTable) {
  const snapshot = shallowRef<LiveSnapshot>();
  let live: LiveTable | undefined;
  // Vue runs this again when a prop that it reads changes, and never on a server.
  watchPostEffect((onCleanup) => {
    const watched = watchTable();
    live = watched;
    const update = () => {
      snapshot.value = watched.getSnapshot();
    };
    update();
    watched.subscribe(update);
    onCleanup(watched.free);
  });
  return { snapshot, cancel: () => live?.cancel(), resume: () => live?.resume() };
}
