/** The errors, told apart by their code. It is only compiled. */

import {
  type FindingsClient,
  FindingsError,
  type FindingsErrorCode,
  type FindingsTable,
  type InspectionFinding,
  type PartitionFailure,
} from "inspection-findings";

interface OurFinding extends InspectionFinding {
  Language: string;
}

export async function partialFindings(client: FindingsClient): Promise<InspectionFinding[]> {
  try {
    return await client.getFindings(42, "topics", { failurePolicy: "collect" });
  } catch (error) {
    if (!(error instanceof FindingsError) || error.code !== "partial") throw error;
    const failures: readonly PartitionFailure[] = error.failures;
    console.log(
      failures.map(({ error }) => error.url),
      error.findings.length,
    );
    return error.resume({ retries: 10, signal: undefined });
  }
}

export async function partialTable(client: FindingsClient): Promise<FindingsTable<OurFinding>> {
  try {
    return await client.loadTable<OurFinding>(42, "topics", { failurePolicy: "collect" });
  } catch (error) {
    if (!(error instanceof FindingsError) || error.code !== "partial") throw error;
    console.log(error.table.length);
    error.table.free();
    return error.resume<FindingsTable<OurFinding>>();
  }
}

export async function ofOurs(client: FindingsClient): Promise<string[]> {
  const findings = await client.getFindings<OurFinding>(42, "topics").catch((error: FindingsError<OurFinding>) => {
    if (error.code === "partial") return error.resume();
    if (error.code === "incomplete") return error.findings ?? [];
    throw error;
  });
  return findings.map(({ Language }) => Language);
}

export function incomplete(error: FindingsError): [number | undefined, number] {
  return error.code === "incomplete" ? [error.expected, error.received] : [undefined, 0];
}

/** Before the code is known, each member may be missing. */
export function beforehand(error: FindingsError): unknown[] {
  return [error.findings?.length, error.table?.length, error.failures?.length, error.received?.toFixed()];
}

export function constructed(code: FindingsErrorCode): FindingsError[] {
  const network: "network" = new FindingsError("network", "offline", { attempts: undefined }).code;
  const partial = new FindingsError("partial", "two are missing", { failures: [] });
  const isEmpty: boolean = partial.failures.length === 0;
  console.log(network, isEmpty);
  return [partial, new FindingsError(code, "any")];
}

export function mistakes(error: FindingsError): void {
  // @ts-expect-error it may be undefined
  error.failures.length;
  if (error.code === "partial") {
    // @ts-expect-error only `incomplete` has it
    const received: number = error.received;
    console.log(received);
  }
  // @ts-expect-error there is no such code
  if (error.code === "offline") console.log();
}
