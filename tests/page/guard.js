/**
 * The guard of every test: fails for an unhandled rejection and for console output that the test does not expect. It gives
 * what a test waits for the time that a machine at work needs, and puts back what the test replaced.
 */

import { afterAll, afterEach, expect, vi } from "vitest";
import { takeTrouble, watch } from "./trouble.js";

watch(window);

const { waitFor, waitUntil } = vi;
vi.waitFor = (check, options) => waitFor(check, patient(options));
vi.waitUntil = (condition, options) => waitUntil(condition, patient(options));

/**
 * @template Options
 * @param {Options} options
 */
function patient(options) {
  return { timeout: 50_000, interval: 5, ...(typeof options === "number" ? { timeout: options } : options) };
}

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  expect(await takeTrouble()).toEqual([]);
});

afterAll(async () => {
  expect(await takeTrouble()).toEqual([]);
});
