/** The health of a worker, as a table: what each event means in each state. */

import { describe, expect, test } from "vitest";
import {
  type Action,
  after,
  type Event,
  type Health,
  type Load,
  STARTING,
  type State,
} from "../../src/js/worker/health.js";

/** All that can happen, with what the worker has to do where that matters. */
const events = [
  "awake",
  "ready",
  "responded",
  "returned",
  "used",
  "waited",
  "unused",
  "idle",
  "requests",
  "bodies",
  "broken",
] as const;

/** The state and the action after each event, for a worker of which all checks but one have passed; "·" for neither. */
const table: Record<State, string> = {
  //         awake   ready        responded returned used waited     unused      idle        requests    bodies      broken
  starting:
    "start | ready begin | ·       | ·      | · | late return | failed end | failed end | failed end | failed end | failed end",
  late: "    start | ready begin | ·       | ·      | · | ·           | failed end | failed end | failed end | failed end | failed end",
  ready:
    "   ·     | ·           | ·       | ·      | · | ·           | ended end  | ·          | ended end  | ended end  | ended end",
  failed:
    "  ·     | ·           | ·       | ·      | · | ·           | ·          | ·          | ·          | ·          | ·",
  stuck:
    "   ·     | ·           | ·       | ·      | · | ·           | ·          | ·          | ·          | ·          | ·",
  ended:
    "   ·     | ·           | ·       | ·      | · | ·           | ·          | ·          | ·          | ·          | ·",
};

const loads: readonly string[] = ["unused", "idle", "requests", "bodies"];

function afterEvent(health: Health, event: (typeof events)[number], failure?: string) {
  return loads.includes(event)
    ? after(health, "checked", event as Load)
    : after(health, event as Event, "idle", failure);
}

/** The actions of some events after each other. */
function actions(health: Health, happening: readonly (typeof events)[number][]): (Action | undefined)[] {
  let now = health;
  return happening.map((event) => {
    const [next, action] = afterEvent(now, event);
    now = next;
    return action;
  });
}

const times = (count: number, event: (typeof events)[number]) => Array.from({ length: count }, () => event);
const ready: Health = { ...STARTING, state: "ready" };

describe.for(Object.entries(table) as [State, string][])("a worker that is %s", ([state, row]) => {
  const cells = row.split("|").map((cell) => cell.trim());
  test.for(events.map((event, at) => [event, cells[at]] as const))("at the event %s: %s", ([event, cell]) => {
    const starts = state === "starting" || state === "late";
    const health: Health = { state, idle: starts ? 2 : 5, silent: 3, busy: 11 };
    const [next, action] = afterEvent(health, event, "dead");
    const changes = next.state === state ? [] : [next.state];
    expect([...changes, ...(action ? [action] : [])].join(" ") || "·").toBe(cell);
  });
});

test("a worker has to be ready within three checks", () => {
  expect(actions(STARTING, times(3, "unused"))).toEqual([undefined, undefined, "end"]);
  expect(actions(STARTING, ["unused", "waited", "bodies", "ready", "unused"])).not.toContain("end");
});

test("a worker ends at the sixth check without a call, and is not at fault", () => {
  expect(actions(ready, times(6, "unused"))).toEqual([...times(5, "idle").map(() => undefined), "end"]);
  for (const other of ["idle", "used"] as const) {
    expect(actions(ready, [...times(5, "unused"), other, ...times(5, "unused")])).not.toContain("end");
  }
  expect(after({ ...ready, idle: 5 }, "checked", "unused")).toEqual([
    { ...ready, state: "ended", idle: 5 },
    "end",
    undefined,
  ]);
});

test.for(["requests", "bodies"] as const)("a worker with %s may leave three pings without a response", (load) => {
  expect(actions(ready, times(4, load))).toEqual(["ping", "ping", "ping", "end"]);
  expect(actions(ready, [...times(3, load), "responded", ...times(3, load)])).not.toContain("end");
});

test("a worker that responds has to return one of its bodies within twelve checks, or is not replaced", () => {
  const looks = Array.from({ length: 12 }, () => ["bodies", "responded"] as const).flat();
  expect(actions(ready, looks)).not.toContain("end");
  expect(actions(ready, [...looks, "bodies"]).at(-1)).toBe("end");
  expect(actions(ready, [...looks, "returned", ...looks])).not.toContain("end");
  expect(after({ ...ready, busy: 12 }, "checked", "bodies")[0].state).toBe("stuck");
});

test("a worker that breaks tells why", () => {
  expect(after(STARTING, "broken", "idle", "dead")).toEqual([{ ...STARTING, state: "failed" }, "end", "dead"]);
  expect(after(ready, "broken", "idle", "dead")).toEqual([{ ...ready, state: "ended" }, "end", "dead"]);
});
