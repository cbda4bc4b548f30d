/**
 * Tickets: each request to the built-in service carries one, by which this page knows it among all its requests. Neither
 * an address nor a token can say that, as a service of the reader's own may have the same. How one is used:
 *
 *     const ticket = tickets.issue(service);
 *     const response = await fetch(href, tickets.attached(ticket, init));
 *     if (tickets.withdraw(ticket)) … // nobody has redeemed it: the answer is another service's
 */

import type { FakeService } from "../../tests/fake-backend/service.js";

/** The header that carries a ticket. */
const header = "built-in-service-ticket";

export class Tickets {
  /** What all tickets of this page begin with. A service worker at times hands a page the requests of another one. */
  #issuer = crypto.randomUUID();
  #count = 0;
  /** The services of the tickets that nobody has redeemed yet. */
  #services = new Map<string, FakeService>();

  issue(service: FakeService): string {
    const ticket = `${this.#issuer} ${this.#count++}`;
    this.#services.set(ticket, service);
    return ticket;
  }

  attached(ticket: string, init: RequestInit = {}): RequestInit {
    const headers = new Headers(init.headers);
    headers.set(header, ticket);
    return { ...init, headers };
  }

  /** Whether a request carries a ticket of this page. */
  isOn({ headers }: Request): boolean {
    return headers.get(header)?.startsWith(`${this.#issuer} `) ?? false;
  }

  /** The service that a request is for, once for each ticket; undefined after that, and when it was withdrawn. */
  redeem({ headers }: Request): FakeService | undefined {
    const ticket = headers.get(header) ?? "";
    const service = this.#services.get(ticket);
    this.#services.delete(ticket);
    return service;
  }

  /** Ends a ticket; gives whether nobody had redeemed it. */
  withdraw(ticket: string): boolean {
    return this.#services.delete(ticket);
  }
}
