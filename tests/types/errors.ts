/** The errors, told apart by their code, with tables and without. It is only compiled. */

import {
  type BytesReason,
  type FindingsClient,
  FindingsError,
  type FindingsErrorCode,
  type FindingsErrorJSON,
  type FindingsTable,
  type InspectionFinding,
  messageOf,
  type PartialFindingsError,
  type PartialTableError,
  type PartitionFailure,
} from "inspection-findings";
import * as objects from "inspection-findings/objects";
import type { OurFinding } from "./same.js";

/** All codes have a case. What was sent has a number of attempts, and a refusal a status. */
export function members(error: FindingsError): string | number | boolean {
  // @ts-expect-error there is no such code
  if (error.code === "offline") console.log();
  // @ts-expect-error nothing may have been sent
  error.attempts satisfies number;
  const { partitionIndex, retryAfter, expected, url, messages } = error;
  const numbers: (number | undefined)[] = [partitionIndex, retryAfter, expected];
  console.log(numbers, url?.length, messages?.join());
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
      // @ts-expect-error only `incomplete` has it
      return error.received;
    case "timeout":
    case "too-large":
    case "load":
    case "memory":
      return error.message;
    default:
      return error satisfies never;
  }
}

/** A partial error is one of findings or of a table, and continues what it is of. */
export async function partial(error: FindingsError): Promise<InspectionFinding[] | FindingsTable> {
  if (error.code !== "partial") throw error;
  const failures: readonly PartitionFailure[] = error.failures;
  console.log(failures.map(({ error }) => error.url));
  // @ts-expect-error a call has findings or a table
  error.findings.length;
  // @ts-expect-error
  error.table.length;
  // @ts-expect-error what it resolves with depends on the call
  const findings: Promise<InspectionFinding[]> = error.resume();
  if (error.findings) {
    const ofFindings: PartialFindingsError = error;
    const whole: Promise<InspectionFinding[]> = ofFindings.resume({ retries: 10, signal: undefined });
    return (ofFindings.table satisfies undefined) ?? whole;
  }
  if (error.table) {
    const { resume, findings }: PartialTableError = error;
    const whole: Promise<FindingsTable> = resume({ retries: 10 });
    return (findings satisfies undefined) ?? whole;
  }
  return findings;
}

/** What an error carries has the type of the client. */
export async function ofOurs(client: FindingsClient<OurFinding>): Promise<string[]> {
  const findings = await client.getFindings(42, "topics").catch((error: FindingsError<OurFinding>) => {
    if (error.code === "partial" && error.findings) return error.resume();
    if (error.code === "incomplete") return error.findings ?? error.table?.toArray() ?? [];
    throw error;
  });
  return findings.map(({ Language }) => Language);
}

/** The constructor asks for what an error of the code has. */
export function constructed(code: FindingsErrorCode): FindingsError[] {
  const resume = async (): Promise<InspectionFinding[]> => [];
  const partial = new FindingsError("partial", "two are missing", { failures: [], resume });
  const status: number = new FindingsError("http", "no", { status: 500, attempts: 1 }).status;
  const { name, url }: FindingsErrorJSON = partial.toJSON();
  const own: "network" = new FindingsError("network", "offline", { attempts: 1 }).toJSON().code;
  console.log(status, name.length, url, own);
  // @ts-expect-error
  new FindingsError("http", "no");
  // @ts-expect-error
  new FindingsError("http", "no", { status: 500 });
  // @ts-expect-error
  new FindingsError("network", "no", { attempts: undefined });
  // @ts-expect-error
  new FindingsError("incomplete", "no", { expected: 1 });
  // @ts-expect-error
  new FindingsError("partial", "no", { failures: [] });
  // @ts-expect-error
  new FindingsError("bytes", "no");
  // @ts-expect-error
  new objects.FindingsError("http", "no");
  // @ts-expect-error it may be a code that asks for more
  new FindingsError(code, "any");
  const wrong = new FindingsError("bytes", "wrong", { reason: "foreign" });
  return [partial, wrong, new FindingsError("load", "no"), new FindingsError("timeout", "no", { kind: "topics" })];
}

/** An error of a program, which a page handles as one of the package. */
export class Mine extends FindingsError {
  constructor(readonly detail: string) {
    super("service", "mine", { attempts: 1 });
  }
  describe(): string {
    return `${this.code}: ${this.message} (${this.detail}, ${this.messages.length})`;
  }
}

/** A subclass narrows an unknown value; a cancelled call has no message. */
export function detailOf(error: unknown): string {
  if (error instanceof Mine) return error.detail;
  // @ts-expect-error
  messageOf(error).length;
  return messageOf(error, AbortSignal.abort()) ?? "";
}

/** The entry without tables has the calls for objects, and no table in a call, an option or an error. */
export async function withoutTables(options: objects.Options): Promise<InspectionFinding[]> {
  const client = new objects.FindingsClient(options);
  const [first] = await client.getFindings(42, "topics", { columns: ["Comment", "Topic.Text"] });
  // @ts-expect-error it is left out
  console.log(first?.Sentiment);
  // @ts-expect-error
  client.loadTable(42, "topics");
  // @ts-expect-error
  client.watchTable(42, "topics");
  // @ts-expect-error no call begins with a table
  const from: objects.FindingsOptions = { from: undefined };
  try {
    return await objects.getFindings(42, "sentiment", from);
  } catch (error) {
    if (!(error instanceof objects.FindingsError)) throw error;
    // @ts-expect-error no call returns a table
    console.log(error.table);
    // @ts-expect-error no call opens bytes
    if (error.code === "bytes") throw error;
    if (error.code !== "partial") throw error;
    const partial: objects.PartialFindingsError = error;
    return partial.resume({ retries: 5 });
  }
}
