/** A component of React that users can cancel and try again, and that keeps a partial result. */

import { type FindingsClient, type InspectionKey, type LiveTable, messageOf } from "inspection-findings";
import { useEffect, useState, useSyncExternalStore } from "react";

interface Loading {
  live: LiveTable;
  controller: AbortController;
}

export function Dashboard({ client, inspectionKey }: { client: FindingsClient; inspectionKey: InspectionKey }) {
  const [loading, setLoading] = useState<Loading>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const live = client.watchTable(inspectionKey, "sentiment", { failurePolicy: "collect", signal });
    setLoading({ live, controller });
    return live.free;
  }, [client, inspectionKey]);
  return loading ? <TopicGroups {...loading} /> : <p>Loading …</p>;
}

function TopicGroups({ live, controller }: Loading) {
  const { state, table, error } = useSyncExternalStore(live.subscribe, live.getSnapshot);
  if (state === "complete" && table.length === 0) return <p>No findings</p>;
  return (
    <>
      {state === "loading" && (
        <button type="button" onClick={() => controller.abort()}>
          Cancel
        </button>
      )}
      {state === "loading" && table.length === 0 && <p>Loading …</p>}
      {state !== "loading" && state !== "complete" && (
        <p role="alert">
          {messageOf(error) ?? "Stopped."}{" "}
          <button type="button" onClick={live.resume}>
            Try again
          </button>
        </p>
      )}
      <ul>
        {table.countBy("TopicGroup").map(({ key: [group], count }) => (
          <li key={String(group)}>
            {group ?? "no group"}: {count}
          </li>
        ))}
      </ul>
    </>
  );
}
