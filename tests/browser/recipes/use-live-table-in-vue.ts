/** The recipe for Vue: a function of `setup` that follows a live table. */

import type { FindingKind, FindingsClient } from "inspection-findings";
import { onScopeDispose, shallowRef } from "vue";

export function useLiveTable(client: FindingsClient, inspectionKey: number, kind: FindingKind) {
  const live = client.watchTable(inspectionKey, kind);
  const snapshot = shallowRef(live.getSnapshot());
  live.subscribe(() => {
    snapshot.value = live.getSnapshot();
  });
  onScopeDispose(live.free);
  return snapshot;
}
