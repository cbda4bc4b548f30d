/** The page of the soak: what the runner asks of it stands under one global name. */

import { watchResources } from "./resources.js";

const resources = watchResources();

// Only now: the package must find what watches it.
const { retrieveSome, retrieveMost, held } = await import("./retrievals.js");

const soak = {
  retrieveSome,
  retrieveMost,
  /** What the page and the package hold just now. */
  held: () => ({ ...resources.held(), ...held() }),
};

/** @typedef {typeof soak} Soak */

Object.assign(globalThis, { soak });
