/** A component of React that shows a live table by the hook. */

import { type FindingsClient, type InspectionKey, messageOf } from "inspection-findings";
import { useLiveTable } from "inspection-findings/react";
import { useEffect } from "react";

export function Groups({ client, inspectionKey }: { client: FindingsClient; inspectionKey: InspectionKey }) {
  const { state, table, error } = useLiveTable(client, inspectionKey, "sentiment");
  useEffect(() => {
    if (state === "failed") console.error(error);
  }, [state, error]);
  if (state === "failed") return <p role="alert">{messageOf(error)}</p>;
  if (state === "complete" && table.length === 0) return <p>No findings</p>;
  if (!table?.length) return <p>Loading …</p>;
  return (
    <ul>
      {table.countBy("TopicGroup").map(({ key: [group], count }) => (
        <li key={String(group)}>
          {group ?? "no group"}: {count}
        </li>
      ))}
    </ul>
  );
}
