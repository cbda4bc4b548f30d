/** The README's recipe for React, which has no types. */
// @ts-nocheck

import { useEffect, useState, useSyncExternalStore } from "react";

const nothingYet = { subscribe: () => () => {}, getSnapshot: () => undefined };

export function useLiveTable(client, inspectionKey, kind) {
  const [live, setLive] = useState(nothingYet);
  useEffect(() => {
    const live = client.watchTable(inspectionKey, kind);
    setLive(live);
    return () => live.free();
  }, [client, inspectionKey, kind]);
  return useSyncExternalStore(live.subscribe, live.getSnapshot);
}
