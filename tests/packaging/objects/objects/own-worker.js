import { getFindings } from "inspection-findings/objects";
import { retrieveInOwnWorker } from "./common/in-page.js";

retrieveInOwnWorker(getFindings);
