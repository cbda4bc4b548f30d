import { afterEach, expect, test, vi } from "vitest";
import { testFakeTimers } from "./common/fake-timers.js";

testFakeTimers({ afterEach, expect, test, timers: vi });
