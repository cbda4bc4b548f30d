import "zone.js/node";
import { FindingsClient } from "inspection-findings";
import { csvOf, xlsxOf } from "inspection-findings/export";
import { checkContexts, checkExports } from "./common/contexts.js";

const { Zone } = globalThis;
const within = (user, run) => Zone.root.fork({ name: "a user", properties: { user } }).run(run);
const contexts = { within, current: () => Zone.current.get("user") };
await checkContexts(FindingsClient, contexts, 100);
await checkExports([csvOf, xlsxOf], contexts);
