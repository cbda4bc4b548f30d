/** The fake backend as the demo uses it: its settings at once, and what answers requests when it is first needed. */

export { BodyWorkshop } from "./body-workshop.js";
export { dialledInspection } from "./dialled.js";
export { countsOf } from "./inspection.js";
export { scenarioByKey, tokens } from "./scenarios.js";
export { dialNames, presetOf, ranges, readDial, readSettings, writeSettings } from "./settings.js";

/** @typedef {import("./settings.js").Dials} Dials */
/** @typedef {import("./settings.js").Settings} Settings */

/**
 * Starts the service worker. Loaded late, because MSW is larger than everything else here.
 * @param {Parameters<typeof import("./worker.js").startWorker>} parameters
 */
export async function startWorker(...parameters) {
  const worker = await import("./worker.js");
  return worker.startWorker(...parameters);
}
