import { retrieveInOwnWorker } from "./common/in-page.js";
import { getFindings } from "./package.js";

retrieveInOwnWorker(getFindings);
