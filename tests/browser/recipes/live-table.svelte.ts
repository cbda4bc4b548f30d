/** The recipe for Svelte: a reactive value that follows a live table, and the functions of its buttons. */

import type { LiveSnapshot, LiveTable } from "inspection-findings";

export function followed(watchTable: (signal: AbortSignal) => LiveTable) {
  let snapshot = $state.raw<LiveSnapshot>();
  let controls = { cancel() {}, resume() {} };
  // Svelte runs this again when a prop that it reads changes, and never on a server.
  $effect(() => {
    const controller = new AbortController();
    const live = watchTable(controller.signal);
    controls = { cancel: () => controller.abort(), resume: live.resume };
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
    cancel: () => controls.cancel(),
    resume: () => controls.resume(),
  };
}
