/** A component of React that users can cancel and try again, and that keeps a partial result. */

import { type FindingsClient, type InspectionKey, messageOf } from "inspection-findings";
import { useLiveTable } from "inspection-findings/react";

const options = { failurePolicy: "collect" } as const;

export function Dashboard({ client, inspectionKey }: { client: FindingsClient; inspectionKey: InspectionKey }) {
  const { state, table, error, cancel, resume, again } = useLiveTable(client, inspectionKey, "sentiment", options);
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
        <button type="button" onClick={again}>
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
