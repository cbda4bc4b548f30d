/**
 * Tickets: each request to the built-in service carries one, by which this page recognises it. Neither the address nor the
 * token can tell, because the reader's own service may have the same. Usage:
 *
 *     const ticket = tickets.issue(service);
 *     const response = await fetch(href, tickets.attached(ticket, init));
 *     if (tickets.withdraw(ticket)) … // not redeemed: the response comes from another service
 */

import type { FakeService } from "../../tests/fake-backend/service.js";

/** The header that carries a ticket. */
const header = "built-in-service-ticket";

export class Tickets {
  /** The prefix of all tickets of this page. A service worker sometimes passes a page the requests of another page. */
  #issuer = crypto.randomUUID();
  #count = 0;
  /** The services of the tickets that have not been redeemed. */
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

  /** Returns the service of a request once per ticket; undefined after that, and for a withdrawn ticket. */
  redeem({ headers }: Request): FakeService | undefined {
    const ticket = headers.get(header) ?? "";
    const service = this.#services.get(ticket);
    this.#services.delete(ticket);
    return service;
  }

  /** Withdraws a ticket, and returns whether it had not been redeemed. */
  withdraw(ticket: string): boolean {
    return this.#services.delete(ticket);
  }
}
