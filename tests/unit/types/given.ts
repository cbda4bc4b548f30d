/** What the files of this folder use: values of the interface, findings of a program's own type, and the equality of types. */

import type {
  ColumnName,
  FindingKind,
  FindingsClient,
  FindingsError,
  FindingsTable,
  InspectionFinding,
  LiveTable,
  Options,
} from "inspection-findings";
import type { FindingsStore } from "inspection-findings/keep";

export type Sentiment = -2 | -1 | 0 | 1 | 2;

export interface OurFinding extends InspectionFinding {
  Language: string;
  Source: { Page?: { Number: number } | null; Tags: string[]; Place?: { City: string }; Any: object };
  "a.b": boolean;
}

export declare const client: FindingsClient;
export declare const ourClient: FindingsClient<OurFinding>;
export declare const error: FindingsError;
export declare const store: FindingsStore;
export declare const live: LiveTable;
export declare const table: FindingsTable;
export declare const ours: FindingsTable<OurFinding>;
export declare const maybe: { store?: FindingsStore; table?: FindingsTable; number?: number };
export declare const kind: FindingKind;
export declare const name: string;
export declare const names: string[];
export declare const known: ColumnName<InspectionFinding>[];
export declare const progress: Parameters<NonNullable<Options["onProgress"]>>[0];
export declare const change: Parameters<NonNullable<Options["onPartition"]>>[0];

export type Same<One, Other> =
  (<Any>() => Any extends One ? 1 : 2) extends <Any>() => Any extends Other ? 1 : 2 ? true : false;

/** Compiles if the value has exactly this type. */
export function hasType<Expected>() {
  return <Actual>(_value: Actual, _isSame: Same<Actual, Expected>) => {};
}
