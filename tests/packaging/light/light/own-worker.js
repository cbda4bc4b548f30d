import { getFindings } from "inspection-findings/light";
import { retrieveInOwnWorker } from "./common/in-page.js";

retrieveInOwnWorker(getFindings);
