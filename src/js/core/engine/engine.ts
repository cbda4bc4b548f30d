// All that TypeScript calls of Rust, with the types that Rust states. `host-functions.ts` has all that Rust calls.

import type { Client } from "../../inspection_findings.js";

export type {
  BufferContent,
  Client,
  Columns,
  ConnectionAdvice,
  CredentialsFlaw,
  DelegationFailure,
  EarlierTable,
  ExchangeFailure,
  InitOutput as Exports,
  LiveSource,
  ResumeState,
} from "../../inspection_findings.js";
export { makeGlue } from "./instance-glue.js";

/** A table of the cases of an enum of Rust (`src/web/numbers.rs`), which lacks none and has no other. */
export type NumbersOf<Enum> = { readonly [Case in keyof Enum & string as Uncapitalize<Case>]: Enum[Case] };

/** The groups of some findings, the largest first. */
export interface Groups {
  /** The number of the grouping; 0 if it has no later results. */
  readonly grouping: number;
  /** The cells of the keys, group after group. */
  readonly keys: Uint32Array;
  /** The number of findings of each group. */
  readonly counts: Uint32Array;
  /** The number of each group in all results of the grouping; none if there are no later ones. */
  readonly numbers: Uint32Array;
  /** For each group the number of numbers, their sum, minimum and maximum; none without a summary. */
  readonly statistics: Float64Array;
  /** For each group the number of distinct values; none without a column that was asked for. */
  readonly distinct: Uint32Array;
}

/** The settings of a call: the type `Settings` of `src/js/core/client/options/settings.ts`. */
export type Settings = Parameters<Client["getPartitionCounts"]>[1];
