import { afterEach, expect, jest, test } from "@jest/globals";
import { testFakeTimers } from "./common/fake-timers.js";

testFakeTimers({ afterEach, expect, test, timers: jest });
