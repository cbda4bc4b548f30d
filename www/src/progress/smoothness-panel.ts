/** The smoothness: where the work was done, and the frames that came late meanwhile, for each work location beside the other. */

import { byId } from "../page/element.js";
import { number } from "../page/format.js";
import type { ActualWorkLocation, WorkLocation } from "../service/work-location.js";
import { FrameMeter } from "./frame-meter.js";
import type { Smoothness } from "./frame-times.js";

const none = "–";

const words: Record<ActualWorkLocation, string> = {
  worker: "in a worker",
  page: "in the page",
  "page after all": "in the page: too few findings for a worker, or none could be started",
};

export class SmoothnessPanel {
  #workLocation = byId("work-location");
  #values: Record<WorkLocation, HTMLElement> = { worker: byId("late-worker"), page: byId("late-page") };
  #meter = new FrameMeter();
  #actual: ActualWorkLocation | undefined;
  #subject = "";

  /** Begins a measurement. The values of another subject cannot be compared, and are removed. */
  begin(subject: string): void {
    if (subject !== this.#subject) {
      this.#subject = subject;
      this.#values.worker.textContent = none;
      this.#values.page.textContent = none;
    }
    this.#workLocation.textContent = none;
    this.#actual = undefined;
    this.#meter.start();
  }

  /** Where the work is done, once it is known. */
  set workLocation(workLocation: ActualWorkLocation) {
    this.#actual = workLocation;
    this.#workLocation.textContent = words[workLocation];
  }

  /** Shows the measurement so far. */
  show(): void {
    if (this.#actual !== undefined) {
      const location = this.#actual === "worker" ? "worker" : "page";
      this.#values[location].textContent = inWords(this.#meter.smoothness);
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
