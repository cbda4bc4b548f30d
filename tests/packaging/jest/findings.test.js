import { getFindings } from "inspection-findings/inline";
import { retrieveInProcess } from "./common/in-process.js";

test("fetches all findings", () => retrieveInProcess(getFindings));
