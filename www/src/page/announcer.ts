/** The announcer: tells screen readers about changes, at a rate that can be followed. */

import { byId } from "./element.js";

const region = byId("announcer");
const step = 25;
const pause = 400;
let announced = 0;
let waiting: ReturnType<typeof setTimeout> | undefined;

/** Announces the beginning or the end of a retrieval. */
export function announce(text: string): void {
  clearTimeout(waiting);
  announced = 0;
  region.textContent = text;
}

/** Announces a text after a pause without a newer one. */
export function announceSoon(text: string): void {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    region.textContent = text;
  }, pause);
}

/** Announces the share at each quarter. */
export function announceShare(percent: number): void {
  const reached = percent - (percent % step);
  if (reached > announced && reached < 100) {
    announced = reached;
    region.textContent = `${reached} % loaded`;
  }
}
