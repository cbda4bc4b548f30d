/** The responses of a fake service, by `fetch`. */

/** @typedef {Pick<import("inspection-findings/testing").FakeService, "baseUrl" | "fetch">} Service */

/**
 * @param {Service} service
 * @param {string} path relative to the base URL
 * @param {RequestInit} [init]
 */
export function ask(service, path, init) {
  return service.fetch(new URL(path, service.baseUrl), init);
}

/** @param {Parameters<typeof ask>} request */
export async function statusOf(...request) {
  return (await ask(...request)).status;
}

/** @param {Parameters<typeof ask>} request */
export async function jsonOf(...request) {
  return (await ask(...request)).json();
}

/**
 * The statuses of requests, one after the other.
 * @param {Service} service
 * @param {string} path
 * @param {number} times
 */
export async function statusesOf(service, path, times) {
  const statuses = [];
  for (let time = 0; time < times; time++) statuses.push(await statusOf(service, path));
  return statuses;
}
