/**
 * Tickets: each request to the built-in service carries one, by which this page recognises it. Neither the address nor the
 * token can tell, because the reader's own service may have the same. Usage:
 *
 *     const ticket = tickets.issue(service);
 *     const response = await fetch(href, tickets.attached(ticket, init));
 *     if (tickets.withdraw(ticket)) … // not redeemed: the response comes from another service
 */

/** A service that responds to requests. */
export interface Responder {
  respond(request: Request): Promise<Response>;
}

/** The header that carries a ticket. service-worker.js reads it, too. */
const header = "built-in-service-ticket";

export class Tickets {
  /** The prefix of all tickets of this page: its identity for the service worker, and one that no other page has had. */
  #issuer: string;
  #count = 0;
  /** The services of the tickets that have not been redeemed. */
  #services = new Map<string, Responder>();

  /** @param page the identity of this page for the service worker */
  constructor(page: string) {
    this.#issuer = `${page} ${crypto.randomUUID()}`;
  }

  /** Issues a ticket for one request. */
  issue(service: Responder): string {
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

  /** Returns the service of a request, once; undefined after that, and for a withdrawn ticket. */
  redeem({ headers }: Request): Responder | undefined {
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
