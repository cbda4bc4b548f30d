/** The errors, told apart by their code. It is only compiled. */

import {
  type BytesReason,
  type FindingsClient,
  FindingsError,
  type FindingsErrorCode,
  type FindingsErrorJSON,
  FindingsTable,
  type InspectionFinding,
  messageOf,
  type PartialFindingsError,
  type PartialTableError,
  type PartitionFailure,
  type TableOptions,
} from "inspection-findings";

interface OurFinding extends InspectionFinding {
  Language: string;
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
  // @ts-expect-error only `incomplete` has it
  const received: number = error.received;
  // @ts-expect-error what it resolves with depends on the call
  const findings: Promise<InspectionFinding[]> = error.resume();
  console.log(received, findings);
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
  return error.resume();
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

export function logged(error: FindingsError): string {
  const { name, message, code, url }: FindingsErrorJSON = error.toJSON();
  const own: "network" = new FindingsError("network", "offline", { attempts: 1 }).toJSON().code;
  return [name, message.toUpperCase(), code satisfies FindingsErrorCode, String(url), own].join(" ");
}

/** The constructor asks for what an error of the code has. */
export function constructed(code: FindingsErrorCode): FindingsError[] {
  const resume = async (): Promise<InspectionFinding[]> => [];
  const partial = new FindingsError("partial", "two are missing", { failures: [], resume });
  const status: number = new FindingsError("http", "no", { status: 500, attempts: 1 }).status;
  const wrong: FindingsError = new FindingsError("bytes", "wrong", { reason: "foreign" });
  console.log(partial.failures.length, status);
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
  // @ts-expect-error it may be a code that asks for more
  new FindingsError(code, "any");
  return [partial, wrong, new FindingsError("load", "no"), new FindingsError("timeout", "no", { kind: "topics" })];
}

/** What was sent has a number of attempts, and a refusal a status. */
export function ofRequests(error: FindingsError): [number, number?] {
  if (error.code === "http" || error.code === "unauthorized") return [error.attempts, error.status];
  if (error.code === "network" || error.code === "decode" || error.code === "service") return [error.attempts];
  if (error.code === "incomplete") return [error.received];
  // @ts-expect-error there is no such code
  if (error.code === "offline") console.log();
  // @ts-expect-error nothing may have been sent
  return [error.attempts];
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

export function detailOf(error: unknown): string {
  if (error instanceof Mine) return error.detail;
  // @ts-expect-error a message may be missing, because a cancelled call has none
  messageOf(error).length;
  return messageOf(error, AbortSignal.abort()) ?? "";
}

/** A table of the last visit, if there is one, continued. */
export async function continued(
  client: FindingsClient<OurFinding>,
  bytes: ArrayBuffer | Uint8Array,
): Promise<FindingsTable<OurFinding>> {
  const from = await FindingsTable.fromBytes<OurFinding>(bytes).catch((error: unknown) => {
    if (!(error instanceof FindingsError) || error.code !== "bytes") throw error;
    console.log(error.reason satisfies BytesReason);
    return undefined;
  });
  const options: TableOptions = { from };
  const table = await client.loadTable(42, "topics", options);
  const saved: [number[], boolean, Date | undefined, ArrayBuffer] = [
    table.partitions,
    table.isComplete,
    table.savedAt,
    table.toBytes().buffer,
  ];
  console.log(saved);
  return client.watchTable(42, "topics", { from: table }).done;
}
