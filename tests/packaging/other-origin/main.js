import { retrieveInPage } from "./common/in-page.js";
import { getFindings } from "./package.js";

retrieveInPage(getFindings, () => new Worker("./own-worker.js", { type: "module" }));
