import { getFindings } from "inspection-findings";
import { retrieveInOwnWorker } from "../common/in-page.js";

retrieveInOwnWorker(getFindings);
