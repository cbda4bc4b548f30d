/** The page of the soak test: the functions that the runner calls, under one global name. */

import { watchResources } from "./resources.js";

const resources = watchResources();

// Imported late, because the package must find the watched globals.
const { retrieveSome, retrieveMost, held } = await import("./retrievals.js");

const soak = {
  retrieveSome,
  retrieveMost,
  /** The resources that the page and the package hold. */
  held: () => ({ ...resources.held(), ...held() }),
};

/** @typedef {typeof soak} Soak */

Object.assign(globalThis, { soak });
