/** @jest-environment node */

import { getFindings } from "inspection-findings";
import { retrieveInProcess } from "./common/in-process.js";

test("fetches all findings", () => retrieveInProcess(getFindings));
