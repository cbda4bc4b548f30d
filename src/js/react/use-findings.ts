// The hook that loads findings as objects.

import { useEffect, useMemo, useRef, useState } from "react";
import type { FindingsClient } from "../client/client.js";
import type { WithColumns } from "../client/options.js";
import type { Progress } from "../client/progress.js";
import type { Picked } from "../table/column-name.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";
import type { HookOptions } from "./load.js";
import { type LoadControls, useLiveTable } from "./use-live-table.js";

/** What {@link useFindings} returns: the findings, and functions for buttons. */
export type FindingsState<Finding = InspectionFinding> = LoadControls & Loaded<Finding>;

type Loaded<Finding> =
  /** Still loading, waiting for a key, or rendered on a server. */
  | { state: "loading"; findings?: undefined; error?: undefined; progress?: Progress | undefined }
  /** All findings have arrived. */
  | { state: "complete"; findings: Finding[]; error?: undefined; progress: Progress }
  /** Some partitions are missing, with `failurePolicy: "collect"`: `resume()` fetches them. */
  | { state: "partial"; findings: Finding[]; error: unknown; progress: Progress }
  /** The call has failed, or `cancel()`, its signal or its client has ended it: `resume()` tries again. */
  | { state: "failed" | "aborted"; findings?: undefined; error: unknown; progress: Progress };

/** The findings of a table, or why they could not be built. */
interface Built<Finding> {
  readonly table: FindingsTable<Finding>;
  readonly findings?: Finding[];
  readonly error?: unknown;
}

/** How many findings are built without a pause. */
const BATCH = 4096;

/**
 * Loads all findings of an inspection as objects while the component is mounted. Starts, stops and reloads like
 * {@link useLiveTable}. Builds the findings in time slices when all have arrived, and frees their table.
 *
 * @param client create it outside of components, or keep it in state. If each of several renders has a new client, the
 * hook stops loading, and the state is `"failed"`
 * @param inspectionKey undefined or null to wait, for example until a route or another query has the key
 * @param options read when loading starts. Later changes have no effect, except a change of the names in `columns`
 * @returns the state, with `findings` or `error`, and the progress; and `cancel`, `resume` and `again`. The same object
 * until something changes.
 * @example
 * import { useFindings } from "inspection-findings/react";
 *
 * function Comments({ client, inspectionKey }: { client: FindingsClient; inspectionKey: string }) {
 *   const { state, findings, error } = useFindings(client, inspectionKey, "topics");
 *   if (state === "failed") return String(error);
 *   return findings?.map(({ Comment }) => Comment).join("\n") ?? "Loading …";
 * }
 */
export function useFindings<Finding, Column extends string, const Name extends string = Column>(
  client: FindingsClient<Finding, Column>,
  inspectionKey: InspectionKey | null | undefined,
  kind: FindingKind,
  options?: WithColumns<HookOptions, Finding, Name>,
): FindingsState<Picked<Finding, Name>> {
  const snapshot = useLiveTable(client, inspectionKey, kind, options);
  const [built, setBuilt] = useState<Built<Picked<Finding, Name>>>();
  const { state, table: received, progress, error, cancel, resume, again } = snapshot;
  const table = state === "complete" || state === "partial" ? received : undefined;
  const [tries, setTries] = useState(0);
  /** The table whose findings could not be built. */
  const failed = useRef<FindingsTable<Picked<Finding, Name>>>(undefined);
  // While findings could not be built, `resume()` builds them again; it loads again if their table can no longer be read.
  const [tryAgain] = useState(() => () => {
    if (failed.current === undefined) resume();
    else if (isReadable(failed.current)) setTries((tries) => tries + 1);
    else again();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try builds the findings again.
  useEffect(() => {
    let isOver = false;
    const build = async (table: FindingsTable<Picked<Finding, Name>>) => {
      setBuilt(undefined);
      try {
        const findings = await findingsOf(table, () => isOver);
        if (isOver) return;
        setBuilt({ table, findings });
        // Otherwise another render may still show this table; garbage collection frees it.
        table.free();
      } catch (error) {
        if (isOver) return;
        failed.current = table;
        setBuilt({ table, error });
      }
    };
    // An effect that runs again has built the findings of a freed table already.
    if (table !== undefined && !table.freed) build(table);
    return () => {
      isOver = true;
      failed.current = undefined;
    };
  }, [table, tries]);
  return useMemo(() => {
    const controls = { cancel, resume: tryAgain, again };
    if (state === "failed" || state === "aborted") return { state, error, progress, ...controls };
    if (progress === undefined) return { state: "loading", ...controls };
    if (state === "loading" || built?.table !== table) return { state: "loading", progress, ...controls };
    if (built?.findings === undefined) return { state: "failed", error: built?.error, progress, ...controls };
    const { findings } = built;
    if (state === "complete") return { state, findings, progress, ...controls };
    return { state, findings, error, progress, ...controls };
  }, [state, table, progress, error, built, cancel, tryAgain, again]);
}

/** Whether the module that has a table still runs. */
function isReadable<Finding>(table: FindingsTable<Finding>): boolean {
  try {
    return table.length >= 0;
  } catch {
    return false;
  }
}

/** Builds the findings of a table in time slices, until it is over. */
async function findingsOf<Finding>(table: FindingsTable<Finding>, isOver: () => boolean): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { length } = table;
  for (let from = 0; from < length && !isOver(); from += BATCH) {
    if (from > 0) await new Promise((resolve) => setTimeout(resolve));
    findings.push(...table.slice(from, from + BATCH));
  }
  return findings;
}
