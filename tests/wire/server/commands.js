/** Commands of a test to the process that serves its page: open, inspect, release and close a service. */

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
 */
export async function lookAtWire(_context, baseUrl) {
  return wires.get(baseUrl)?.sight;
}

/**
 * @param {unknown} _context
 * @param {string} baseUrl
 */
export async function releaseWire(_context, baseUrl) {
  wires.get(baseUrl)?.release();
}

/**
 * @param {unknown} _context
 * @param {string} baseUrl
 */
export async function closeWire(_context, baseUrl) {
  const wire = wires.get(baseUrl);
  wires.delete(baseUrl);
  await wire?.close();
}
