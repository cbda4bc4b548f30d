/** The recipe for Svelte: a store that follows a live table. */

import type { FindingKind, FindingsClient, LiveSnapshot } from "inspection-findings";
import { readable } from "svelte/store";

export function liveTable(client: FindingsClient, inspectionKey: number, kind: FindingKind) {
  return readable<LiveSnapshot | undefined>(undefined, (set) => {
    const live = client.watchTable(inspectionKey, kind);
    set(live.getSnapshot());
    live.subscribe(() => set(live.getSnapshot()));
    return live.free;
  });
}
