/** A component of React that shows a live table by the hook. */

import type { FindingsClient } from "inspection-findings";
import { useLiveTable } from "./use-live-table";

export function Groups({ client }: { client: FindingsClient }) {
  const snapshot = useLiveTable(client, 42, "sentiment");
  if (snapshot === undefined || snapshot.table.length === 0) return <p>Loading …</p>;
  return (
    <ul>
      {snapshot.table.countBy("TopicGroup").map(({ key: [group], count }) => (
        <li key={group}>
          {group ?? "no group"}: {count}
        </li>
      ))}
    </ul>
  );
}
