import { getFindings } from "inspection-findings";
import { retrieveInPage } from "./common/in-page.js";

retrieveInPage(getFindings, () => new Worker(new URL("./own-worker.js", import.meta.url), { type: "module" }));
