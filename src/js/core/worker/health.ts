// The health of a worker: what is known of it, and what is done about it. It counts checks and not time, because a page that was
// frozen must not consider its worker dead.

/** What a worker is doing, as far as is known. */
export type State =
  /** It has no module yet, and bodies wait for it. */
  | "starting"
  /** It has no module yet, and only the bodies of calls that insist on a worker wait for it. */
  | "late"
  /** It decodes, or waits for bodies. */
  | "ready"
  /** It could not be started. */
  | "failed"
  /** It responded, but returned no body: no other worker takes its place. */
  | "stuck"
  /** It has ended. The next call starts another one in its place. */
  | "ended";

/** What happens to a worker. */
export type Event =
  /** Its script has begun. */
  | "awake"
  /** It has the module. */
  | "ready"
  /** It has posted a message, of any kind. */
  | "responded"
  /** It has returned a body. */
  | "returned"
  /** It is given a body. */
  | "used"
  /** Bodies have waited for it for a second. */
  | "waited"
  /** It is looked at, every five seconds. */
  | "checked"
  /** It has ended, or does not take messages. */
  | "broken";

/** What a worker has to do when it is looked at: nothing, for no call; nothing, for some; requests or kept bodies; bodies to decode. */
export type Load = "unused" | "idle" | "requests" | "bodies";

/** What the page does: it posts the module, posts the bodies that wait, returns those of calls that do not insist on a worker, asks for a response, or ends the worker. */
export type Action = "start" | "begin" | "return" | "ping" | "end";

/** The state of a worker, and numbers of checks. */
export interface Health {
  readonly state: State;
  /** Checks since it was started, then without a call since it was used. */
  readonly idle: number;
  /** Checks since it responded, while it had something to do. */
  readonly silent: number;
  /** Checks since it returned a body, while it had some. */
  readonly busy: number;
}

/** What is known of a worker, what the page does, and why the worker has failed. */
export type Step = readonly [health: Health, action?: Action, failure?: string];

/** The number of checks within which a worker has to be ready. */
const START_CHECKS = 3;

/** The number of checks without a call after which a worker ends: 30 seconds. */
const IDLE_CHECKS = 6;

/** After this many unanswered pings, a worker is considered dead. */
const SILENT_CHECKS = 3;

/** After this many checks without a returned body, a worker is considered stuck: one minute. */
const BUSY_CHECKS = 12;

/** A worker that is being started. */
export const STARTING: Health = { state: "starting", idle: 0, silent: 0, busy: 0 };

/** Returns what an event means for a worker that has this to do; `failure` is what broke it. */
export function after(health: Health, event: Event, load: Load, failure?: string): Step {
  return TABLE[health.state][event](health, load, failure);
}

type Cell = (health: Health, load: Load, failure?: string) => Step;

const stays: Cell = (health) => [health];

/** Returns a cell that leads to a state. */
const to =
  (state: State, action: Action, why?: string): Cell =>
  (health, _, failure = why) => [{ ...health, state }, action, failure];

const OVER: Record<Event, Cell> = {
  awake: stays,
  ready: stays,
  responded: stays,
  returned: stays,
  used: stays,
  waited: stays,
  checked: stays,
  broken: stays,
};

const STARTS: Record<Event, Cell> = {
  ...OVER,
  awake: (health) => [health, "start"],
  ready: () => [{ ...STARTING, state: "ready" }, "begin"],
  waited: to("late", "return"),
  checked: (health, load) => {
    const idle = health.idle + 1;
    return idle < START_CHECKS
      ? [{ ...health, idle }]
      : to("failed", "end", "it did not respond in time")(health, load);
  },
  broken: to("failed", "end"),
};

const TABLE: Record<State, Record<Event, Cell>> = {
  starting: STARTS,
  late: { ...STARTS, waited: stays },
  ready: {
    ...OVER,
    responded: (health) => [{ ...health, silent: 0 }],
    returned: (health) => [{ ...health, busy: 0 }],
    used: (health) => [{ ...health, idle: 0 }],
    checked: (health, load) => LOOKS[load](health, load),
    broken: to("ended", "end"),
  },
  failed: OVER,
  stuck: OVER,
  ended: OVER,
};

/** What a look at a worker that is ready means. */
const LOOKS: Record<Load, Cell> = {
  unused: (health, load) => {
    const idle = health.idle + 1;
    return idle < IDLE_CHECKS ? [{ ...health, idle }] : to("ended", "end")(health, load);
  },
  idle: (health) => [{ ...health, idle: 0 }],
  requests: (health, load) => {
    const silent = health.silent + 1;
    return silent > SILENT_CHECKS
      ? to("ended", "end", "it no longer responds")(health, load)
      : [{ ...health, silent }, "ping"];
  },
  bodies: (health, load) => {
    const busy = health.busy + 1;
    return busy > BUSY_CHECKS && health.silent < SILENT_CHECKS
      ? to("stuck", "end", "it does not return the bodies that it gets")(health, load)
      : LOOKS.requests({ ...health, busy }, load);
  },
};
