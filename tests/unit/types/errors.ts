/** The errors, told apart by their code, with tables and without. It is only compiled. */

import {
  type BytesReason,
  FindingsError,
  type FindingsTable,
  type InspectionFinding,
  messageOf,
  type PartitionFailure,
} from "inspection-findings";
import type * as objects from "inspection-findings/objects";
import { error, hasType, type OurFinding } from "./given.js";

/** All codes have a case. What was sent has a number of attempts, and a refusal a status. */
export function members(): string | number | boolean {
  const { partitionIndex, retryAfter, expected, url, messages } = error;
  const numbers: (number | undefined)[] = [partitionIndex, retryAfter, expected, url?.length, messages?.length];
  switch (error.code) {
    case "http":
    case "unauthorized":
      return error.attempts + error.status;
    case "network":
    case "decode":
    case "service":
      return error.attempts;
    case "incomplete":
      return error.received;
    case "bytes":
      return error.reason satisfies BytesReason;
    case "partial":
    case "timeout":
    case "too-large":
    case "load":
    case "memory":
      return numbers.length;
    default:
      return error satisfies never;
  }
}

/** A partial error is one of findings or of a table, and continues what it is of. */
export async function partial(): Promise<InspectionFinding[] | FindingsTable> {
  if (error.code !== "partial") throw error;
  const failures: readonly PartitionFailure[] = error.failures;
  console.log(failures.map(({ error }) => error.url));
  if (error.findings) {
    const whole: Promise<InspectionFinding[]> = error.resume({ retries: 10, signal: undefined });
    return (error.table satisfies undefined) ?? whole;
  }
  if (!error.table) return error.resume();
  const { resume, findings } = error;
  const whole: Promise<FindingsTable> = resume({ retries: 10 });
  return (findings satisfies undefined) ?? whole;
}

/** What an error carries has the type of the client. */
declare const incomplete: Extract<FindingsError<OurFinding>, { code: "incomplete" }>;
hasType<OurFinding[] | undefined>()(incomplete.findings, true);
hasType<FindingsTable<OurFinding> | undefined>()(incomplete.table, true);
declare const ofOurs: Extract<FindingsError<OurFinding>, { code: "partial" }>;
if (ofOurs.findings) hasType<OurFinding[]>()(await ofOurs.resume(), true);

/** An error that a program makes has what its code asks for. */
hasType<number>()(new FindingsError("http", "no", { status: 500, attempts: 1 }).status, true);
hasType<"network">()(new FindingsError("network", "offline", { attempts: 1 }).toJSON().code, true);
new FindingsError("partial", "no", { failures: [], resume: async () => [] }).toJSON() satisfies { code: "partial" };
new FindingsError("bytes", "no", { reason: "foreign" }) satisfies FindingsError;
new FindingsError("timeout", "no", { kind: "topics" }) satisfies FindingsError;

/** A subclass, which narrows an unknown value. */
export class Mine extends FindingsError {
  constructor(readonly detail: string) {
    super("service", "mine", { attempts: 1 });
  }
  static detailOf(error: unknown): string | undefined {
    return error instanceof Mine ? `${error.detail} ${error.messages.length}` : messageOf(error, AbortSignal.abort());
  }
}

/** The entry without tables has the calls for objects, and their errors. */
declare const withoutTables: { client: objects.FindingsClient; error: objects.FindingsError };
const [first] = await withoutTables.client.getFindings(42, "topics", { columns: ["Comment", "Topic.Text"] });
hasType<string | undefined>()(first?.Topic.Text, true);
if (withoutTables.error.code === "partial") {
  hasType<InspectionFinding[]>()(await withoutTables.error.resume({ retries: 5 }), true);
}
