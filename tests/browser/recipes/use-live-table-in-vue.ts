/** The recipe for Vue: a reference that follows a live table, and the functions of its buttons. */

import type { LiveSnapshot, LiveTable } from "inspection-findings";
import { shallowRef, watchPostEffect } from "vue";

export function useLiveTable(watchTable: (reload: boolean) => LiveTable | Promise<LiveTable>) {
  const snapshot = shallowRef<LiveSnapshot>();
  const reloads = shallowRef(0);
  let live: LiveTable | undefined;
  let isReload = false;
  // Vue runs this again when a prop that it reads changes, and never on a server.
  watchPostEffect((onCleanup) => {
    let isOver = false;
    void reloads.value;
    const watching = Promise.resolve(watchTable(isReload));
    isReload = false;
    watching.then((watched) => {
      if (isOver) return;
      live = watched;
      const update = () => {
        snapshot.value = watched.getSnapshot();
        const { state, error } = snapshot.value;
        if (state === "failed" || state === "partial") console.error(error);
      };
      update();
      watched.subscribe(update);
    });
    onCleanup(() => {
      isOver = true;
      watching.then(({ free }) => free());
    });
  });
  const reload = () => {
    isReload = true;
    reloads.value += 1;
  };
  return { snapshot, cancel: () => live?.cancel(), resume: () => live?.resume(), reload };
}
