/** Requests to a fake service, and what it responds. */

import type { FakeService } from "inspection-findings/testing";

type Service = Pick<FakeService, "baseUrl" | "fetch">;

/** Sends a request to a path relative to the base URL. */
export function ask({ baseUrl, fetch }: Service, path: string, init?: RequestInit): Promise<Response> {
  return fetch(new URL(path, baseUrl), init);
}

export async function statusOf(...request: Parameters<typeof ask>): Promise<number> {
  return (await ask(...request)).status;
}

export async function jsonOf(...request: Parameters<typeof ask>) {
  return (await ask(...request)).json();
}

/** The statuses of requests, one after the other. */
export async function statusesOf(service: Service, path: string, times: number): Promise<number[]> {
  const statuses = [];
  for (let time = 0; time < times; time++) statuses.push(await statusOf(service, path));
  return statuses;
}
