/** The equality of types, and findings of a program's own type. It is only compiled. */

import type { InspectionFinding } from "inspection-findings";

export type Sentiment = -2 | -1 | 0 | 1 | 2;

export interface OurFinding extends InspectionFinding {
  Language: string;
  Source: { Page?: { Number: number } | null; Tags: string[]; Place?: { City: string }; Any: object };
  "a.b": boolean;
}

export type Same<One, Other> =
  (<Any>() => Any extends One ? 1 : 2) extends <Any>() => Any extends Other ? 1 : 2 ? true : false;

/** Compiles if the value has exactly this type. */
export function hasType<Expected>() {
  return <Actual>(_value: Actual, _isSame: Same<Actual, Expected>) => {};
}
