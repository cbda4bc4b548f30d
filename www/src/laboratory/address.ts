/** The page's address as far as it tells the laboratory's settings. Nothing else is written there, no service, no token. */

import { readSettings, type Settings, writeSettings } from "../../../tests/fake-backend/settings.js";

/** Browsers refuse an address that changes too often, and a slider that is drawn changes it at every step. */
const leastPause = 700;

export class Address {
  #next: Settings | undefined;

  /** What the address tells. */
  get settings(): Settings {
    return readSettings(new URLSearchParams(location.search));
  }

  /** The address of this page with these settings. */
  link(settings: Settings): string {
    const url = new URL(location.href);
    url.search = String(writeSettings(settings, url.searchParams));
    return url.href;
  }

  /** Makes the address tell these settings, at once or shortly after, without a new entry in the history. */
  write(settings: Settings): void {
    if (this.#next === undefined) {
      setTimeout(() => this.#writeNext(), leastPause);
      this.#replace(settings);
    }
    this.#next = settings;
  }

  #writeNext(): void {
    const settings = this.#next;
    this.#next = undefined;
    if (settings !== undefined) {
      this.#replace(settings);
    }
  }

  #replace(settings: Settings): void {
    const link = this.link(settings);
    if (link !== location.href) {
      history.replaceState(history.state, "", link);
    }
  }
}
