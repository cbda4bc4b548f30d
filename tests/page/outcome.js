/** The outcome of a promise. */

import { FindingsError } from "inspection-findings";
import { expect } from "vitest";

/** The browser's timer, also where a test watches or replaces that of the page. */
const { setTimeout } = globalThis;

/**
 * Resolves with the value or the reason of a promise.
 * @param {Promise<unknown>} promise
 * @returns {Promise<{ value?: any, reason?: any }>}
 */
export function outcomeOf(promise) {
  return promise.then(
    (value) => ({ value }),
    (reason) => ({ reason }),
  );
}

/** The reason of a promise that must reject. @param {Promise<unknown>} promise @returns {Promise<any>} */
export async function rejectionOf(promise) {
  const outcome = await outcomeOf(promise);
  expect(outcome, "the promise should be rejected").toHaveProperty("reason");
  return outcome.reason;
}

/**
 * The FindingsError of a promise that must reject with one.
 * @param {Promise<unknown>} promise
 * @returns {Promise<FindingsError>}
 */
export async function failureOf(promise) {
  const reason = await rejectionOf(promise);
  expect(reason).toBeInstanceOf(FindingsError);
  return reason;
}

/** Waits for this many milliseconds. @param {number} milliseconds */
export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** A promise that never settles. */
export function never() {
  return new Promise(() => {});
}

/** A gate, whose promise resolves when it is opened. */
export function gate() {
  return Promise.withResolvers();
}
