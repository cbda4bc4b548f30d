import "zone.js/node";
import { FindingsClient } from "inspection-findings";
import { checkContexts } from "./common/contexts.js";

const { Zone } = globalThis;
const within = (user, run) => Zone.root.fork({ name: "a user", properties: { user } }).run(run);
await checkContexts(FindingsClient, { within, current: () => Zone.current.get("user") }, 100);
