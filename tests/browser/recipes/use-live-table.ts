/** The recipe for React: a hook that follows a live table. */

import type { FindingKind, FindingsClient, LiveTable } from "inspection-findings";
import { useEffect, useState, useSyncExternalStore } from "react";

const noChanges = () => () => {};

export function useLiveTable(client: FindingsClient, inspectionKey: number, kind: FindingKind) {
  const [live, setLive] = useState<LiveTable>();
  useEffect(() => {
    const live = client.watchTable(inspectionKey, kind);
    setLive(live);
    return () => live.free();
  }, [client, inspectionKey, kind]);
  const getSnapshot = () => live?.getSnapshot();
  return useSyncExternalStore(live?.subscribe ?? noChanges, getSnapshot, getSnapshot);
}
