/** The health of a worker: what events mean for it, one after the other. The table of `health.ts` says what one event means in one state. */

import { expect, test } from "vitest";
import { type Action, after, type Event, type Health, type Load, STARTING } from "../../src/js/worker/health.js";

/** An event, or a check with what the worker has to do. */
type Happening = Exclude<Event, "checked"> | Load;

const loads: readonly string[] = ["unused", "idle", "requests", "bodies"];

/** The last state and the actions of some events after each other. */
function course(health: Health, happening: readonly Happening[]) {
  const actions: (Action | undefined)[] = [];
  let now = health;
  for (const event of happening) {
    const isCheck = loads.includes(event);
    const [next, action] = isCheck
      ? after(now, "checked", event as Load)
      : after(now, event as Event, "idle", "it broke");
    now = next;
    actions.push(action);
  }
  return { state: now.state, actions };
}

const times = (count: number, event: Happening) => Array.from({ length: count }, () => event);
const nothing = (count: number) => Array.from({ length: count }, () => undefined);
const ready: Health = { ...STARTING, state: "ready" };
const answered = Array.from({ length: 12 }, () => ["bodies", "responded"] as const).flat();

/** The events of a worker that starts or is ready, its state after them, and the actions where they matter. */
const courses: [promise: string, from: Health, happening: Happening[], state: string, actions?: unknown[]][] = [
  ["gets the module when its script begins", STARTING, ["awake"], "starting", ["start"]],
  ["gets the bodies when it has the module", STARTING, ["ready"], "ready", ["begin"]],
  ["gets the bodies that insist also late", STARTING, ["waited", "ready"], "ready", ["return", "begin"]],
  ["returns the bodies that do not insist once", STARTING, ["waited", "waited"], "late", ["return", undefined]],
  ["has to be ready within three checks", STARTING, times(3, "unused"), "failed", [...nothing(2), "end"]],
  ["may be late for that, but not longer", STARTING, ["unused", "waited", "bodies", "idle"], "failed"],
  ["has its checks counted anew once it is ready", STARTING, ["bodies", "bodies", "ready", "unused"], "ready"],
  ["fails if it breaks before it is ready", STARTING, ["broken"], "failed", ["end"]],
  ["ends if it breaks later", ready, ["broken"], "ended", ["end"]],
  ["ends at the sixth check without a call", ready, times(6, "unused"), "ended", [...nothing(5), "end"]],
  ["does not end while a call needs no worker", ready, [...times(5, "unused"), "idle", ...times(5, "unused")], "ready"],
  ["does not end after it is used", ready, [...times(5, "unused"), "used", ...times(5, "unused")], "ready"],
  [
    "may leave three pings for requests unanswered",
    ready,
    times(4, "requests"),
    "ended",
    ["ping", "ping", "ping", "end"],
  ],
  ["may leave three pings for bodies unanswered", ready, times(4, "bodies"), "ended", ["ping", "ping", "ping", "end"]],
  ["lives if it answers", ready, [...times(3, "bodies"), "responded", ...times(3, "bodies")], "ready"],
  ["may take twelve checks for a body", ready, answered, "ready"],
  ["is stuck after twelve checks without a body", ready, [...answered, "bodies"], "stuck"],
  ["is not stuck if it returns one", ready, [...answered, "returned", ...answered], "ready"],
  [
    "does nothing after its end",
    ready,
    ["broken", "awake", "ready", "waited", "bodies", "broken"],
    "ended",
    ["end", ...nothing(5)],
  ],
];

test.for(courses)("a worker %s", ([, from, happening, state, actions]) => {
  const passed = course(from, happening);
  expect(passed.state).toBe(state);
  if (actions !== undefined) expect(passed.actions).toEqual(actions);
});

test("a worker that fails tells why, and one that nobody needs is not at fault", () => {
  expect(after(STARTING, "broken", "idle", "dead")[2]).toBe("dead");
  expect(after(ready, "broken", "idle", "dead")[2]).toBe("dead");
  expect(after({ ...STARTING, idle: 2 }, "checked", "bodies")[2]).toBe("it did not respond in time");
  expect(after({ ...ready, silent: 3 }, "checked", "requests")[2]).toBe("it no longer responds");
  expect(after({ ...ready, busy: 12 }, "checked", "bodies")[2]).toBe("it does not return the bodies that it gets");
  expect(after({ ...ready, idle: 5 }, "checked", "unused").slice(1)).toEqual(["end", undefined]);
});
