/**
 * The requests that this page itself sends to a service. A worker has a `fetch` of its own, so findings without such a request come
 * from a worker. Usage:
 *
 *     const requests = new PageRequests(baseUrl); // watches until the next one
 *     if (requests.isAny) … // the page sends
 */

let watching: PageRequests | undefined;

export class PageRequests {
  #under: string;
  /** Whether the page has sent a request to the service. */
  isAny = false;

  constructor(baseUrl: string | URL) {
    this.#under = new URL(baseUrl).href;
    watching = this;
  }

  /** Notes a request of this page. */
  note(href: string): void {
    this.isAny ||= href.startsWith(this.#under);
  }
}

const send = globalThis.fetch;

globalThis.fetch = (input, init) => {
  watching?.note(input instanceof Request ? input.url : String(input));
  return send(input, init);
};
