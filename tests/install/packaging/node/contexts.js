import { AsyncLocalStorage } from "node:async_hooks";
import { FindingsClient } from "inspection-findings";
import { checkContexts } from "./common/contexts.js";

const storage = new AsyncLocalStorage();
const within = (user, run) => storage.run(user, run);
await checkContexts(FindingsClient, { within, current: () => storage.getStore() }, 100);
