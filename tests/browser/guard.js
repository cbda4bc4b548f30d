/** The guard of every test: fails for an unhandled rejection and for console output that the test does not expect. */

import { afterAll, afterEach, expect } from "vitest";
import { takeTrouble, watch } from "./trouble.js";

watch(window);

afterEach(async () => {
  expect(await takeTrouble()).toEqual([]);
});

afterAll(async () => {
  expect(await takeTrouble()).toEqual([]);
});
