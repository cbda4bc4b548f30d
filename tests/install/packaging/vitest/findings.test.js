import { getFindings } from "inspection-findings";
import { test } from "vitest";
import { retrieveInProcess } from "./common/in-process.js";

test("fetches all findings", () => retrieveInProcess(getFindings));
