/** The health of a worker over several checks. How it starts and ends is proved by worker.test.ts. */

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
