import { retrieveInPage } from "./common/in-page.js";
import { getFindings } from "./node_modules/inspection-findings/dist/index.js";

retrieveInPage(getFindings, () => new Worker("./own-worker.js", { type: "module" }));
