/** The recipe for Vue: a reference that follows a live table, and the functions of its buttons. */

import type { LiveSnapshot, LiveTable } from "inspection-findings";
import { shallowRef, watchPostEffect } from "vue";

export function useLiveTable(watchTable: () => LiveTable | Promise<LiveTable>) {
  const snapshot = shallowRef<LiveSnapshot>();
  let live: LiveTable | undefined;
  // Vue runs this again when a prop that it reads changes, and never on a server.
  watchPostEffect((onCleanup) => {
    let isOver = false;
    const watching = Promise.resolve(watchTable());
    watching.then((watched) => {
      if (isOver) return;
      live = watched;
      const update = () => {
        snapshot.value = watched.getSnapshot();
      };
      update();
      watched.subscribe(update);
    });
    onCleanup(() => {
      isOver = true;
      watching.then(({ free }) => free());
    });
  });
  return { snapshot, cancel: () => live?.cancel(), resume: () => live?.resume() };
}
