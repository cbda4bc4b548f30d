import { retrieveInOwnWorker } from "./common/in-page.js";
import { getFindings } from "./node_modules/inspection-findings/dist/index.js";

retrieveInOwnWorker(getFindings);
