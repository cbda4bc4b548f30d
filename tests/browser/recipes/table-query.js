// A query for TanStack Query that loads a table.

import { queryOptions } from "@tanstack/react-query";
import { FindingsTable } from "inspection-findings";

/**
 * The options of `useQuery`, `fetchQuery` and `prefetchQuery` for one kind of findings.
 * @param {import("inspection-findings").FindingsClient} client
 * @param {number} inspectionKey
 * @param {import("inspection-findings").FindingKind} kind
 */
export function tableQuery(client, inspectionKey, kind) {
  return queryOptions({
    queryKey: ["findings", inspectionKey, kind],
    queryFn: ({ signal }) => client.loadTable(inspectionKey, kind, { signal, totalTimeout: 60_000 }),
    retry: false,
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 5 * 60_000,
  });
}

/**
 * Frees each table when its query leaves the cache, unless a component still shows it.
 * @param {import("@tanstack/react-query").QueryClient} queryClient
 * @returns a function that stops it
 */
export function freeTables(queryClient) {
  return queryClient.getQueryCache().subscribe(({ type, query }) => {
    const { data } = query.state;
    if (type === "removed" && data instanceof FindingsTable && query.getObserversCount() === 0) data.free();
  });
}
