import { getFindings } from "inspection-findings/inline";
import { retrieveInProcess } from "./common/in-process.js";

test("retrieves all findings", () => retrieveInProcess(getFindings));
