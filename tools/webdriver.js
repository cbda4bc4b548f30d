/** A page that is driven by WebDriver, with the part of Playwright's interface that every engine has (`tools/engine.js`). */

import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "./command.js";

/** How long a driver and its browser may take to start, in milliseconds. */
const longestStart = 60_000;

/** How long a page may take to load, in milliseconds. */
const longestLoad = 120_000;

/**
 * Opens a page in a browser that a driver starts.
 * @param {object} driver
 * @param {string} driver.url
 * @param {object} driver.capabilities of the browser
 * @param {() => void} driver.end ends the driver
 */
export async function openDrivenPage({ url, capabilities, end }) {
  // A driver whose browser ends at its start sends no response.
  const signal = AbortSignal.timeout(longestStart);
  try {
    while (!(await fetch(`${url}/status`, { signal }).catch(() => signal.throwIfAborted()))?.ok) await pause(20);
    const wanted = { capabilities: { alwaysMatch: capabilities } };
    const { sessionId, capabilities: given } = await send(`${url}/session`, wanted, { signal });
    const session = `${url}/session/${sessionId}`;
    await send(`${session}/timeouts`, { script: null, pageLoad: longestLoad });
    return pageOf(session, given.browserVersion, end);
  } catch (error) {
    end();
    throw signal.aborted ? new Failure(`The browser did not start within ${longestStart / 1000} s.`) : error;
  }
}

/**
 * @param {string} session
 * @param {string} version of the browser
 * @param {() => void} end
 */
function pageOf(session, version, end) {
  /** @type {Promise<void> | undefined} */
  let closed;
  return {
    version,

    goto: (/** @type {string} */ url) => send(`${session}/url`, { url }),

    /**
     * Calls a function in the page and resolves with its result. Both the argument and the result are JSON.
     * @param {(argument: any) => any} work which uses nothing from outside
     * @param {any} [argument]
     */
    async evaluate(work, argument) {
      const script = `
        const [argument, done] = arguments;
        Promise.resolve()
          .then(() => (${work})(argument))
          .then(
            (value) => done({ value: value === undefined ? undefined : JSON.stringify(value) }),
            (error) => done({ error: String(error) }),
          );`;
      const { value, error } = await send(`${session}/execute/async`, { script, args: [argument] });
      if (typeof error === "string") throw new Error(error);
      return typeof value === "string" ? JSON.parse(value) : undefined;
    },

    /**
     * Waits until a condition holds in the page.
     * @param {() => unknown} condition
     */
    async waitForFunction(condition) {
      while (!(await this.evaluate(condition))) await pause(20);
    },

    /** Closes the page with its browser and driver, once. */
    close() {
      closed ??= send(session, undefined, { method: "DELETE" }).finally(end);
      return closed;
    },
  };
}

/**
 * @param {string} url
 * @param {object} [body]
 * @param {RequestInit} [init]
 * @returns {Promise<any>}
 */
async function send(url, body, init) {
  const response = await fetch(url, { method: "POST", body: body && JSON.stringify(body), ...init });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`WebDriver: ${value.error}: ${value.message}`);
  return value;
}
