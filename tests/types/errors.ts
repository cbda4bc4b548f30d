/** The errors, told apart by their code, with tables and without. It is only compiled. */

import {
  type BytesReason,
  FindingsError,
  type FindingsErrorJSON,
  type FindingsTable,
  type InspectionFinding,
  messageOf,
  type PartialFindingsError,
  type PartialTableError,
  type PartitionFailure,
} from "inspection-findings";
import * as objects from "inspection-findings/objects";
import { error, type OurFinding, ourClient } from "./given.js";

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
    const ofFindings: PartialFindingsError = error;
    const whole: Promise<InspectionFinding[]> = ofFindings.resume({ retries: 10, signal: undefined });
    return (ofFindings.table satisfies undefined) ?? whole;
  }
  if (!error.table) return error.resume();
  const { resume, findings }: PartialTableError = error;
  const whole: Promise<FindingsTable> = resume({ retries: 10 });
  return (findings satisfies undefined) ?? whole;
}

/** What an error carries has the type of the client. */
export async function ofOurs(): Promise<string[]> {
  const findings = await ourClient.getFindings(42, "topics").catch((error: FindingsError<OurFinding>) => {
    if (error.code === "partial" && error.findings) return error.resume();
    if (error.code === "incomplete") return error.findings ?? error.table?.toArray() ?? [];
    throw error;
  });
  return findings.map(({ Language }) => Language);
}

/** An error that a program makes has what its code asks for. */
export function constructed(): FindingsError[] {
  const resume = async (): Promise<InspectionFinding[]> => [];
  const partial = new FindingsError("partial", "two are missing", { failures: [], resume });
  const status: number = new FindingsError("http", "no", { status: 500, attempts: 1 }).status;
  const { name, url }: FindingsErrorJSON = partial.toJSON();
  const own: "network" = new FindingsError("network", "offline", { attempts: 1 }).toJSON().code;
  console.log(status, name.length, url, own);
  const wrong = new FindingsError("bytes", "wrong", { reason: "foreign" });
  return [partial, wrong, new FindingsError("load", "no"), new FindingsError("timeout", "no", { kind: "topics" })];
}

/** A subclass, which narrows an unknown value. */
export class Mine extends FindingsError {
  constructor(readonly detail: string) {
    super("service", "mine", { attempts: 1 });
  }
  static detailOf(error: unknown): string {
    if (error instanceof Mine) return `${error.code}: ${error.message} (${error.detail}, ${error.messages.length})`;
    return messageOf(error, AbortSignal.abort()) ?? "";
  }
}

/** The entry without tables has the calls for objects, and their errors. */
export async function withoutTables(options: objects.Options): Promise<InspectionFinding[]> {
  const client = new objects.FindingsClient(options);
  const [first] = await client.getFindings(42, "topics", { columns: ["Comment", "Topic.Text"] });
  console.log(first?.Topic.Text);
  try {
    return await objects.getFindings(42, "sentiment", options);
  } catch (error) {
    if (!(error instanceof objects.FindingsError) || error.code !== "partial") throw error;
    const partial: objects.PartialFindingsError = error;
    return partial.resume({ retries: 5 });
  }
}
