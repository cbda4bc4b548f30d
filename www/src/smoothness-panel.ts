/** The smoothness: where the work was done, and the frames that came late meanwhile, for each place beside the other. */

import { byId } from "./element.js";
import { number } from "./format.js";
import { FrameMeter } from "./frame-meter.js";
import type { Smoothness } from "./frame-times.js";
import type { Place } from "./place.js";
import type { Observed } from "./retrieval.js";

const none = "–";

const words: Record<Observed, string> = {
  worker: "in a worker",
  page: "in the page",
  "no worker": "in the page, because no worker could be started",
  "only the page": "in the page, because here only the page can call the built-in service",
};

export class SmoothnessPanel {
  #place = byId("place");
  #values: Record<Place, HTMLElement> = { worker: byId("late-worker"), page: byId("late-page") };
  #meter = new FrameMeter();
  #observed: Observed | undefined;
  #subject = "";

  /** Begins a measurement. The values of another subject cannot be compared, and are removed. */
  begin(subject: string): void {
    if (subject !== this.#subject) {
      this.#subject = subject;
      this.#values.worker.textContent = none;
      this.#values.page.textContent = none;
    }
    this.#place.textContent = none;
    this.#observed = undefined;
    this.#meter.start();
  }

  /** Where the work is done, once it is known. */
  set observed(observed: Observed) {
    this.#observed = observed;
    this.#place.textContent = words[observed];
  }

  /** Shows the measurement so far. */
  show(): void {
    if (this.#observed !== undefined) {
      const place = this.#observed === "worker" ? "worker" : "page";
      this.#values[place].textContent = inWords(this.#meter.smoothness);
    }
  }

  end(): void {
    this.#meter.stop();
    this.show();
  }
}

function inWords({ frames, late, longest }: Smoothness): string {
  return frames === 0 ? none : `${number(late)} of ${number(frames)}, longest gap ${number(Math.round(longest))} ms`;
}
