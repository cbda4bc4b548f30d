/** Commands of a test to the process that serves its page: open a service, and look at it, release or close it. */

import { Wire } from "./wire.js";

/** @typedef {import("./manner.js").Settings} Settings */

/** @type {Map<string, Wire>} by base URL */
const wires = new Map();

/**
 * @param {unknown} _context
 * @param {Settings} settings
 * @returns {Promise<string>} its base URL
 */
export async function openWire(_context, settings) {
  const wire = await Wire.open(settings);
  wires.set(wire.baseUrl, wire);
  return wire.baseUrl;
}

/**
 * @param {unknown} _context
 * @param {string} baseUrl
 * @param {"look" | "release" | "close"} action
 */
export async function controlWire(_context, baseUrl, action) {
  return wires.get(baseUrl)?.[action]();
}
