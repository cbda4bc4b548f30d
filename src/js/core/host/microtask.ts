// Microtasks by a promise: fake timers replace `queueMicrotask`, and never call what it has taken once they are put back.

const settled = /* @__PURE__ */ Promise.resolve();

/** Calls a function in a microtask. */
export function inMicrotask(call: () => void): void {
  void settled.then(call);
}
