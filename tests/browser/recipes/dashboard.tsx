/** A component of React that users can cancel and try again, and that keeps a partial result, also for the next visit. */

import { type FindingsClient, type InspectionKey, messageOf } from "inspection-findings";
import type { FindingsStore } from "inspection-findings/keep";
import { useLiveTable } from "inspection-findings/react";
import { useEffect } from "react";

interface Properties {
  client: FindingsClient;
  inspectionKey: InspectionKey;
  store?: FindingsStore;
}

export function Dashboard({ client, inspectionKey, store }: Properties) {
  const options = { store, failurePolicy: "collect" } as const;
  const { state, table, error, cancel, resume, reload } = useLiveTable(client, inspectionKey, "sentiment", options);
  useEffect(() => {
    if (state === "failed" || state === "partial") console.error(error);
  }, [state, error]);
  if (table === undefined) return <p>Loading …</p>;
  if (state === "complete" && table.length === 0) return <p>No findings</p>;
  return (
    <>
      {state === "loading" && (
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      )}
      {state === "loading" && table.length === 0 && <p>Loading …</p>}
      {state === "complete" && (
        <button type="button" onClick={reload}>
          Reload
        </button>
      )}
      {state !== "loading" && state !== "complete" && (
        <p role="alert">
          {messageOf(error) ?? "Stopped."}{" "}
          <button type="button" onClick={resume}>
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
