/** The recipe for Vue: a reference that follows a live table, and the functions of its buttons. */

import type { LiveSnapshot, LiveTable } from "inspection-findings";
import { shallowRef, watchPostEffect } from "vue";

export function useLiveTable(watchTable: (signal: AbortSignal) => LiveTable) {
  const snapshot = shallowRef<LiveSnapshot>();
  let controls = { cancel() {}, resume() {} };
  // Vue runs this again when a prop that it reads changes, and never on a server.
  watchPostEffect((onCleanup) => {
    const controller = new AbortController();
    const live = watchTable(controller.signal);
    controls = { cancel: () => controller.abort(), resume: live.resume };
    const update = () => {
      snapshot.value = live.getSnapshot();
    };
    update();
    live.subscribe(update);
    onCleanup(live.free);
  });
  return { snapshot, cancel: () => controls.cancel(), resume: () => controls.resume() };
}
