/** The recipe for Svelte: a reactive value that follows a live table, and the functions of its buttons. */

import type { LiveSnapshot, LiveTable } from "inspection-findings";

export function followed(watchTable: (reload: boolean) => LiveTable | Promise<LiveTable>) {
  let snapshot = $state.raw<LiveSnapshot>();
  let reloads = $state(0);
  let live: LiveTable | undefined;
  let isReload = false;
  // Svelte runs this again when a prop that it reads changes, and never on a server.
  $effect(() => {
    let isOver = false;
    void reloads;
    const watching = Promise.resolve(watchTable(isReload));
    isReload = false;
    watching.then((watched) => {
      if (isOver) return;
      live = watched;
      const update = () => {
        snapshot = watched.getSnapshot();
        const { state, error } = snapshot;
        if (state === "failed" || state === "partial") console.error(error);
      };
      update();
      watched.subscribe(update);
    });
    return () => {
      isOver = true;
      watching.then(({ free }) => free());
    };
  });
  return {
    get snapshot() {
      return snapshot;
    },
    cancel: () => live?.cancel(),
    resume: () => live?.resume(),
    reload() {
      isReload = true;
      reloads += 1;
    },
  };
}
