/** A component of React that shows findings by the hook. */

import { type FindingsClient, type InspectionKey, messageOf } from "inspection-findings";
import { useFindings } from "inspection-findings/react";
import { useEffect } from "react";

export function Respondents({ client, inspectionKey }: { client: FindingsClient; inspectionKey: InspectionKey }) {
  const { findings, error, progress } = useFindings(client, inspectionKey, "topics");
  useEffect(() => {
    if (error) console.error(error);
  }, [error]);
  if (error) return <p role="alert">{messageOf(error)}</p>;
  if (findings?.length === 0) return <p>No findings</p>;
  if (!findings) return <p>Loading … {progress?.findingsDone ?? 0} findings</p>;
  return (
    <p>
      {findings.length} findings of {new Set(findings.map(({ RespondentKey }) => RespondentKey)).size} respondents
    </p>
  );
}
