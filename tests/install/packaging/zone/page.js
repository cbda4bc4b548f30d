import "./node_modules/zone.js/fesm2015/zone.js";
import { FindingsClient, getFindings } from "inspection-findings";
import { checkContexts } from "./common/contexts.js";
import { retrieveInPage } from "./common/in-page.js";
import { zones } from "./zones.js";

retrieveInPage(async (key, kind, options) => {
  await checkContexts(FindingsClient, zones, 20, options.worker);
  return getFindings(key, kind, options);
});
