import "zone.js/node";
import { FindingsClient } from "inspection-findings";
import { csvOf, xlsxOf } from "inspection-findings/export";
import { checkContexts, checkExports } from "./common/contexts.js";
import { zones } from "./zones.js";

await checkContexts(FindingsClient, zones, 100);
await checkExports([csvOf, xlsxOf], zones);
