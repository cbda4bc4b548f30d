/** Commands of a test to the process that serves its page: open a service, and look at it, release or close it. */

import type { Settings } from "./manner.ts";
import { Wire } from "./wire.ts";

/** The services by their base URLs. */
const wires = new Map<string, Wire>();

/** Opens a service, and returns its base URL. */
export async function openWire(_context: unknown, settings: Settings): Promise<string> {
  const wire = await Wire.open(settings);
  wires.set(wire.baseUrl, wire);
  return wire.baseUrl;
}

export async function controlWire(_context: unknown, baseUrl: string, action: "look" | "release" | "close") {
  return wires.get(baseUrl)?.[action]();
}
