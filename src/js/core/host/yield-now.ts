// Yields to the event loop, between the time slices of long work.

/** The timer of the host: fake timers lose the yields that wait when they are put back. */
const { setTimeout } = globalThis;

/** The yields that wait for a message of the shared channel, in their order. */
const waiting: (() => void)[] = [];

/** The port of the channel that a browser keeps: under load, a new channel takes 2 ms in Chromium and 6 in WebKit. */
let sharedPort: MessagePort | undefined;

/**
 * Resolves after the tasks that are already queued. A timer would be throttled in a hidden page, and `scheduler.yield`
 * would resolve before queued timers and messages, an abort among them.
 */
export function yieldNow(): Promise<void> {
  return new Promise((resolve) => {
    // Nothing that advances fake timers waits for a message.
    const timer = globalThis.setTimeout === setTimeout ? undefined : globalThis.setTimeout(resolve);
    const next = () => {
      clearTimeout(timer);
      resolve();
    };
    // Cloudflare's runtime has channels only since the compatibility date 2025-08-15.
    if (typeof MessageChannel === "function") postTo(next);
    else setTimeout(next);
  });
}

/** Calls `resolve` in the task of a message. */
function postTo(resolve: () => void): void {
  if (mayKeepChannel()) {
    sharedPort ??= opened(() => waiting.shift()?.());
    sharedPort.postMessage(undefined);
    waiting.push(resolve);
  } else {
    const port = opened(() => {
      port.close();
      resolve();
    });
    port.postMessage(undefined);
  }
}

/** Whether this is a page or a worker of a browser. An open channel would keep a process of Node alive, also one with a `document`. */
function mayKeepChannel(): boolean {
  const isBrowser = typeof document === "object" || "importScripts" in globalThis;
  return isBrowser && !("unref" in MessagePort.prototype);
}

/** Opens a channel, and returns the port whose messages call a function. */
function opened(call: () => void): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = call;
  return port2;
}
