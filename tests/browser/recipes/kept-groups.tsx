/** A component of React that shows what the browser has kept, and refreshes it. */

import { type FindingsClient, type InspectionKey, messageOf } from "inspection-findings";
import { openStore } from "inspection-findings/keep";
import { useLiveTable } from "inspection-findings/react";

const options = { store: openStore() };

export function KeptGroups({ client, inspectionKey }: { client: FindingsClient; inspectionKey: InspectionKey }) {
  const { state, table, error, again } = useLiveTable(client, inspectionKey, "sentiment", options);
  if (!table) return <p>Loading …</p>;
  return (
    <>
      {state === "failed" && <p role="alert">{messageOf(error)}</p>}
      <p>{table.length} findings</p>
      <button type="button" onClick={again}>
        Reload
      </button>
    </>
  );
}
