/** The announcer: tells a screen reader what has changed, seldom enough to be listened to. */

import { byId } from "./element.js";

const region = byId("announcer");
const step = 25;
const pause = 400;
let announced = 0;
let waiting: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  clearTimeout(waiting);
  announced = 0;
  region.textContent = text;
}

/** The same once nothing newer has come for a while. */
export function announceSoon(text: string): void {
  clearTimeout(waiting);
  waiting = setTimeout(() => announce(text), pause);
}

/** Says the share at every quarter that has been reached. */
export function announceShare(percent: number): void {
  const reached = percent - (percent % step);
  if (reached > announced && reached < 100) {
    announced = reached;
    region.textContent = `${reached} % loaded`;
  }
}
