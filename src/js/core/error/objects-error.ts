// The errors of the entries without tables: the same class, with the types of what their calls can reject with.

import type { InspectionFinding } from "../table/finding.js";
import type {
  FindingsErrorCode as AnyCode,
  FindingsErrorDetails as AnyDetails,
  FindingsError as AnyError,
  FindingsErrorJSON,
  NeededDetails,
  PartialTableError,
} from "./error.js";
import { ErrorClass } from "./error-class.js";

/** What failed. The main entry of the package describes the codes. */
export type FindingsErrorCode = Exclude<AnyCode, "bytes">;

/** The members of an error besides its code and message. Members that you leave out are absent. */
export type FindingsErrorDetails = Omit<AnyDetails, "table" | "resume" | "reason">;

/** An error without the members that only tables need. */
type WithoutTable<Each> = Each extends unknown ? Omit<Each, "table" | "reason"> : never;

/** The error of a failed call. Its members are those of the error of the main entry, except `table` and `reason`. */
export type FindingsError<Finding = InspectionFinding> = WithoutTable<
  Exclude<AnyError<Finding>, PartialTableError<Finding> | { readonly code: "bytes" }>
>;

/** The class of {@link FindingsError}. For tests: an error that you construct has only the members that you pass. */
export interface FindingsErrorConstructor {
  new <Code extends FindingsErrorCode>(
    code: Code,
    message: string,
    ...details: NeededDetails<Code, FindingsErrorDetails>
  ): FindingsError & { readonly code: Code };
  readonly prototype: Error & { readonly code: FindingsErrorCode; toJSON(): FindingsErrorJSON };
  /** Recognizes the errors of every copy of the package. */
  [Symbol.hasInstance](value: unknown): value is FindingsError;
}

export const FindingsError = ErrorClass as unknown as FindingsErrorConstructor;
