/** The laboratory's settings in the page's URL, which never contains a service or a token. */

import { readSettings, type Settings, writeSettings } from "../../../tests/fake-backend/demo.js";

/** The minimum time between two changes of the URL, in milliseconds: browsers limit their rate, and sliders change often. */
const minInterval = 700;

export class Address {
  #next: Settings | undefined;

  /** The settings in the URL. */
  get settings(): Settings {
    return readSettings(new URLSearchParams(location.search));
  }

  /** Returns the URL of this page with these settings. */
  link(settings: Settings): string {
    const url = new URL(location.href);
    url.search = String(writeSettings(settings, url.searchParams));
    return url.href;
  }

  /** Writes settings to the URL, at once or shortly after, without a new entry in the history. */
  write(settings: Settings): void {
    if (this.#next === undefined) {
      setTimeout(() => this.#writeNext(), minInterval);
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
