// A hook for SWR that loads a table.

import useSWR from "swr";

/**
 * Loads one kind of findings, once for all components of the page.
 * @param {import("inspection-findings").FindingsClient} client
 * @param {number} inspectionKey
 * @param {import("inspection-findings").FindingKind} kind
 */
export function useTable(client, inspectionKey, kind) {
  return useSWR(
    ["findings", inspectionKey, kind],
    () => client.loadTable(inspectionKey, kind, { totalTimeout: 60_000 }),
    {
      shouldRetryOnError: false,
      revalidateIfStale: false,
      revalidateOnFocus: false,
      revalidateOnReconnect: false,
      compare: Object.is,
    },
  );
}
