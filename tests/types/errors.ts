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

export async function partialFindings(client: FindingsClient): Promise<InspectionFinding[]> {
  try {
    return await client.getFindings(42, "topics", { failurePolicy: "collect" });
  } catch (error) {
    if (!(error instanceof FindingsError) || error.code !== "partial" || !error.findings) throw error;
    const failures: readonly PartitionFailure[] = error.failures;
    const narrowed: PartialFindingsError = error;
    const absent: undefined = narrowed.table;
    console.log(
      failures.map(({ error }) => error.url),
      error.findings.length,
      absent,
    );
    return error.resume({ retries: 10, signal: undefined });
  }
}

export async function partialTable(client: FindingsClient): Promise<FindingsTable> {
  try {
    return await client.loadTable(42, "topics", { failurePolicy: "collect" });
  } catch (error) {
    if (!(error instanceof FindingsError) || error.code !== "partial" || error.table === undefined) throw error;
    const absent: undefined = error.findings;
    console.log(error.table.length, absent);
    error.table.free();
    const { resume }: PartialTableError = error;
    return resume({ retries: 10 });
  }
}

/** Which call it was need not be known: `resume()` continues any. */
export async function partial(error: FindingsError): Promise<number> {
  if (error.code !== "partial") throw error;
  const whole: InspectionFinding[] | FindingsTable = await error.resume();
  return whole.length;
}

export async function ofOurs(client: FindingsClient<OurFinding>): Promise<string[]> {
  const findings = await client.getFindings(42, "topics").catch((error: FindingsError<OurFinding>) => {
    if (error.code === "partial" && error.findings) return error.resume();
    if (error.code === "incomplete") return error.findings ?? [];
    throw error;
  });
  return findings.map(({ Language }) => Language);
}

export async function tableOfOurs(client: FindingsClient<OurFinding>): Promise<FindingsTable<OurFinding>> {
  return client.loadTable(42, "topics").catch((error: FindingsError<OurFinding>) => {
    if (error.code === "partial" && error.table) return error.resume();
    throw error;
  });
}

export function incomplete(error: FindingsError): [number | undefined, number] {
  return error.code === "incomplete" ? [error.expected, error.received] : [undefined, 0];
}

/** The table of an incomplete call can be used, and is freed. */
export function incompleteTable(error: FindingsError<OurFinding>): string[] {
  if (error.code !== "incomplete" || !error.table) return [];
  using table = error.table;
  return table.toArray().map(({ Language }) => Language);
}

export function logged(error: FindingsError): string {
  const { name, message, code, url }: FindingsErrorJSON = error.toJSON();
  const own: "network" = new FindingsError("network", "offline", { attempts: 1 }).toJSON().code;
  return [name, message.toUpperCase(), code satisfies FindingsErrorCode, String(url), own].join(" ");
}

/** Before the code is known, each member may be missing. */
export function beforehand(error: FindingsError): unknown[] {
  return [error.findings?.length, error.table?.length, error.failures?.length, error.received?.toFixed()];
}

/** The constructor asks for what an error of the code has. */
export function constructed(code: FindingsErrorCode): FindingsError[] {
  const network: "network" = new FindingsError("network", "offline", { attempts: 1 }).code;
  const resume = async (): Promise<InspectionFinding[]> => [];
  const partial = new FindingsError("partial", "two are missing", { failures: [], resume });
  const isEmpty: boolean = partial.failures.length === 0;
  const status: number = new FindingsError("http", "no", { status: 500, attempts: 1 }).status;
  const wrong: FindingsError = new FindingsError("bytes", "wrong", { reason: "foreign" });
  console.log(network, isEmpty, status);
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
  return error instanceof FindingsError && error.code === "http" ? error.status.toFixed() : "";
}

export function mistakes(error: FindingsError): void {
  // @ts-expect-error it may be undefined
  error.failures.length;
  if (error.code === "partial") {
    // @ts-expect-error only `incomplete` has it
    const received: number = error.received;
    console.log(received);
  }
  if (error.code === "partial") {
    // @ts-expect-error a call has findings or a table
    error.findings.length;
    // @ts-expect-error
    error.table.length;
    // @ts-expect-error what it resolves with depends on the call
    const findings: Promise<InspectionFinding[]> = error.resume();
    console.log(findings);
  }
  if (error.code === "partial" && error.table) {
    // @ts-expect-error the call was loadTable
    const findings: Promise<InspectionFinding[]> = error.resume();
    console.log(findings);
  }
  const message: string | undefined = messageOf(error);
  const ofSignal: string | undefined = messageOf(new Error(), AbortSignal.abort());
  console.log(message, ofSignal);
  // @ts-expect-error a message may be missing, because a cancelled call has none
  messageOf(error).length;
  // @ts-expect-error there is no such code
  if (error.code === "offline") console.log();
}

/** A table of the last visit, if there is one, continued. */
export async function continued(
  client: FindingsClient<OurFinding>,
  bytes: ArrayBuffer | Uint8Array,
): Promise<FindingsTable<OurFinding>> {
  const from = await FindingsTable.fromBytes<OurFinding>(bytes).catch((error: unknown) => {
    if (!(error instanceof FindingsError) || error.code !== "bytes") throw error;
    const reason: BytesReason = error.reason;
    console.log(reason);
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
