/** The outcome of a call, as tests look at it. */

import { FindingsError } from "inspection-findings";
import { expect } from "vitest";

/**
 * What becomes of a promise: the value that it is fulfilled with, or the reason of its rejection.
 * @param {Promise<unknown>} promise
 * @returns {Promise<{ value?: any, reason?: any }>}
 */
export function outcomeOf(promise) {
  return promise.then(
    (value) => ({ value }),
    (reason) => ({ reason }),
  );
}

/**
 * What a promise is rejected with.
 * @param {Promise<unknown>} promise
 * @returns {Promise<any>}
 */
export async function rejectionOf(promise) {
  const outcome = await outcomeOf(promise);
  expect(outcome, "the promise should be rejected").toHaveProperty("reason");
  return outcome.reason;
}

/**
 * The package's own error that a promise is rejected with.
 * @param {Promise<unknown>} promise
 * @returns {Promise<FindingsError>}
 */
export async function failureOf(promise) {
  const reason = await rejectionOf(promise);
  expect(reason).toBeInstanceOf(FindingsError);
  return reason;
}

/**
 * Waits for that many milliseconds.
 * @param {number} milliseconds
 */
export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** A promise that never settles. */
export function never() {
  return new Promise(() => {});
}

/** A gate: whoever waits for it goes on when it is opened. */
export function gate() {
  return Promise.withResolvers();
}
