/** The announcer: tells a screen reader how far a retrieval is, seldom enough to be listened to. */

import { byId } from "./element.js";

const region = byId("announcer");
const step = 25;
let announced = 0;

export function announce(text: string): void {
  announced = 0;
  region.textContent = text;
}

/** Says the share at every quarter that has been reached. */
export function announceShare(percent: number): void {
  const reached = percent - (percent % step);
  if (reached > announced && reached < 100) {
    announced = reached;
    region.textContent = `${reached} % loaded`;
  }
}
