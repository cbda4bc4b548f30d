/** The page of the soak test: the functions that the runner calls, under one global name. */

import { resources } from "./resources.js";

// Imported late, because the package must find the watched globals.
const { retrieveSome, retrieveMost, held } = await import("./retrievals.js");

const soak = {
  retrieveSome,
  retrieveMost,
  /** The resources that the page and the package hold. */
  held: async () => ({ ...(await held()), ...resources.held() }),
};

/** @typedef {typeof soak} Soak */

Object.assign(globalThis, { soak });
