/** The recipe for Svelte: a reactive value that follows a live table, and the functions of its buttons. */

import type { LiveSnapshot, LiveTable } from "inspection-findings";

export function followed(watchTable: () => LiveTable | Promise<LiveTable>) {
  let snapshot = $state.raw<LiveSnapshot>();
  let live: LiveTable | undefined;
  // Svelte runs this again when a prop that it reads changes, and never on a server.
  $effect(() => {
    let isOver = false;
    const watching = Promise.resolve(watchTable());
    watching.then((watched) => {
      if (isOver) return;
      live = watched;
      const update = () => {
        snapshot = watched.getSnapshot();
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
  };
}
