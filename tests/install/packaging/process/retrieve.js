import { getFindings } from "inspection-findings";
import { retrieveInProcess } from "./common/in-process.js";

retrieveInProcess(getFindings);
