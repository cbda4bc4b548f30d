// Microtasks by a promise: fake timers replace `queueMicrotask`, and never call what it has taken once they are put back.

import { orUndefined } from "./member.js";

const settled = /* @__PURE__ */ Promise.resolve();

/** Calls a function in a microtask, where the stack is empty. What it throws is ignored. */
export function inMicrotask(call: () => void): void {
  void settled.then(() => orUndefined(call));
}

/** Calls a function; if it throws, again in a microtask, because the stack may be exhausted here. */
export function nowOrSoon(call: () => void): void {
  try {
    call();
  } catch {
    inMicrotask(call);
  }
}
