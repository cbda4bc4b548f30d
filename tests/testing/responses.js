/** The responses of a fake service, by `fetch`. */

/** @typedef {import("inspection-findings/testing").FakeService} FakeService */

/**
 * @param {FakeService} service
 * @param {string} path relative to the base URL
 * @param {RequestInit} [init]
 */
export function ask(service, path, init) {
  return service.fetch(new URL(path, service.baseUrl), init);
}

/**
 * @param {FakeService} service
 * @param {string} path
 */
export async function bytesOf(service, path) {
  return Buffer.from(await (await ask(service, path)).arrayBuffer());
}

/**
 * @param {FakeService} service
 * @param {string} path
 * @param {RequestInit} [init]
 */
export async function statusOf(service, path, init) {
  return (await ask(service, path, init)).status;
}

/**
 * The statuses of requests, one after the other; the message of an error where there is none.
 * @param {FakeService} service
 * @param {string} path
 * @param {number} times
 */
export async function statusesOf(service, path, times) {
  const statuses = [];
  for (let time = 0; time < times; time++) {
    statuses.push(await statusOf(service, path).catch((/** @type {Error} */ { message }) => message));
  }
  return statuses;
}

/**
 * @param {FakeService} service
 * @param {string} path
 */
export async function jsonOf(service, path) {
  return (await ask(service, path)).json();
}
