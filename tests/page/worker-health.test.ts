/** The health of a worker: what events mean for it, one after the other. The table of `health.ts` says what one event means in one state. */

import { expect, test } from "vitest";
import { type Action, after, type Event, type Health, type Load, STARTING } from "../../src/js/core/worker/health.js";

/** An event, or a check with what the worker has to do. */
type Happening = Exclude<Event, "checked"> | Load;

/** The state after some events and why the worker has failed, with a colon between them, and the actions. */
function course(health: Health, happening: readonly Happening[]) {
  const actions: (Action | undefined)[] = [];
  let [now, why]: [Health, string?] = [health];
  for (const event of happening) {
    const isCheck = ["unused", "idle", "requests", "bodies"].includes(event);
    const step = isCheck ? after(now, "checked", event as Load) : after(now, event as Event, "idle", "it broke");
    now = step[0];
    why = step[1] === "end" ? step[2] : why;
    actions.push(step[1]);
  }
  return { end: why === undefined ? now.state : `${now.state}: ${why}`, actions };
}

const times = (count: number, event: Happening) => Array.from({ length: count }, () => event);
const nothing = (count: number) => Array.from({ length: count }, () => undefined);
const ready: Health = { ...STARTING, state: "ready" };
const answered = Array.from({ length: 12 }, () => ["bodies", "responded"] as const).flat();
const pings = ["ping", "ping", "ping", "end"];

/** The events of a worker that starts or is ready, how it is after them, and the actions where they matter. */
const courses: [promise: string, from: Health, happening: Happening[], end: string, actions?: unknown[]][] = [
  ["gets the module when its script begins", STARTING, ["awake"], "starting", ["start"]],
  ["gets the bodies when it has the module", STARTING, ["ready"], "ready", ["begin"]],
  ["gets the bodies that insist also late", STARTING, ["waited", "ready"], "ready", ["return", "begin"]],
  ["returns the bodies that do not insist once", STARTING, ["waited", "waited"], "late", ["return", undefined]],
  [
    "has to be ready within three checks",
    STARTING,
    times(3, "unused"),
    "failed: it did not respond in time",
    [...nothing(2), "end"],
  ],
  [
    "may be late for that, but not longer",
    STARTING,
    ["unused", "waited", "bodies", "idle"],
    "failed: it did not respond in time",
  ],
  ["has its checks counted anew once it is ready", STARTING, ["bodies", "bodies", "ready", "unused"], "ready"],
  ["fails if it breaks before it is ready", STARTING, ["broken"], "failed: it broke", ["end"]],
  ["ends if it breaks later", ready, ["broken"], "ended: it broke", ["end"]],
  ["ends at the sixth check without a call, of no fault", ready, times(6, "unused"), "ended", [...nothing(5), "end"]],
  ["does not end while a call needs no worker", ready, [...times(5, "unused"), "idle", ...times(5, "unused")], "ready"],
  ["does not end after it is used", ready, [...times(5, "unused"), "used", ...times(5, "unused")], "ready"],
  ["may leave three pings for requests", ready, times(4, "requests"), "ended: it no longer responds", pings],
  ["may leave three pings for bodies", ready, times(4, "bodies"), "ended: it no longer responds", pings],
  ["lives if it answers", ready, [...times(3, "bodies"), "responded", ...times(3, "bodies")], "ready"],
  ["may take twelve checks for a body", ready, answered, "ready"],
  ["is stuck after them", ready, [...answered, "bodies"], "stuck: it does not return the bodies that it gets"],
  ["is not stuck if it returns one", ready, [...answered, "returned", ...answered], "ready"],
  [
    "does nothing after its end",
    ready,
    ["broken", "awake", "ready", "waited", "bodies", "broken"],
    "ended: it broke",
    ["end", ...nothing(5)],
  ],
];

test.for(courses)("a worker %s", ([, from, happening, end, actions]) => {
  const passed = course(from, happening);
  expect(passed.end).toBe(end);
  if (actions !== undefined) expect(passed.actions).toEqual(actions);
});
