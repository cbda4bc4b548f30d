/** The guard of every test: nothing is left unhandled and nothing is logged unless the test has asked for it. */

import { afterAll, afterEach, expect } from "vitest";
import { takeTrouble, watch } from "./trouble.js";

watch(window);

afterEach(async () => {
  expect(await takeTrouble()).toEqual([]);
});

afterAll(async () => {
  expect(await takeTrouble()).toEqual([]);
});
