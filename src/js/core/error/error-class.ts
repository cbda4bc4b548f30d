// The class of the errors. Imports neither tables nor options, because both throw these errors.

import { hasMembers, memberOf } from "../host/member.js";
import { errorJson } from "./error-json.js";

/** The members of an error besides its code and message. */
interface Details {
  readonly cause?: unknown;
  readonly [member: string]: unknown;
}

/** Marks the errors of every copy of the package. */
const BRAND = Symbol.for("inspection-findings.FindingsError");

/** The class of all errors. Its public type, which knows the members of each code, is in `error.ts`. */
export const ErrorClass = class FindingsError extends Error {
  constructor(code: string, message: string, { cause, messages = [], ...details }: Details = {}) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, details, { code, messages });
    // An error that is logged should not carry what respondents wrote.
    for (const name of ["findings", "table", "failures", "resume"]) {
      if (name in this) Object.defineProperty(this, name, { enumerable: false });
    }
  }

  /** Whether a value is an error of any copy of the class. For a subclass, only its own instances. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: it is the class on the right of `instanceof`
    if (this !== FindingsError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return hasMembers(value) && memberOf(value, BRAND) === true;
  }

  toJSON(): object {
    return errorJson(this);
  }
};

// Not in a static block: Metro, the bundler of React Native, cannot parse one.
Object.defineProperties(ErrorClass.prototype, {
  name: { value: "FindingsError", configurable: true, writable: true },
  [BRAND]: { value: true },
});
