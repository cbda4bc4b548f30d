/** A component of React that shows a live table by the hook. */

import { type FindingsClient, type InspectionKey, messageOf } from "inspection-findings";
import { useLiveTable } from "inspection-findings/react";

export function Groups({ client, inspectionKey }: { client: FindingsClient; inspectionKey: InspectionKey }) {
  const snapshot = useLiveTable(client, inspectionKey, "sentiment");
  if (snapshot?.state === "failed") return <p role="alert">{messageOf(snapshot.error)}</p>;
  if (snapshot?.state === "complete" && snapshot.table.length === 0) return <p>No findings</p>;
  if (!snapshot?.table.length) return <p>Loading …</p>;
  return (
    <ul>
      {snapshot.table.countBy("TopicGroup").map(({ key: [group], count }) => (
        <li key={String(group)}>
          {group ?? "no group"}: {count}
        </li>
      ))}
    </ul>
  );
}
