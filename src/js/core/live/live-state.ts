// The states of a live table, and what each event does in each of them.

import type { LiveSnapshot } from "./live-table-types.js";

/** A state of a live table. `refilling` is loading after `partial`, to which it returns after an error. */
export type LiveState = "loading" | "refilling" | "complete" | "partial" | "failed" | "aborted" | "freed";

/** What can happen to a live table. A failure is that of the last call that runs: calls can overlap. */
export type LiveEvent =
  /** Something has arrived. */
  | "change"
  /** A call has received all. */
  | "receive"
  /** A call lacks partitions, and has the rest. */
  | "lack"
  /** A call has failed with another error. */
  | "fail"
  /** A call has failed, and what had arrived is lost, or there is none. */
  | "lose"
  /** The service has refused a call that began with kept findings. */
  | "refuse"
  /** A signal or the client has ended the calls. */
  | "abort"
  /** `cancel()`. */
  | "cancel"
  /** `resume()` where no call runs on, or that of an error, which may be an earlier one. */
  | "continue"
  /** `free()`. */
  | "free";

/** What a live table does, in this order. */
export type LiveEffect =
  /** Begins a call. */
  | "begin"
  /** Ends the calls that run. */
  | "stop"
  /** Notes that the snapshot is old, and notifies with the next frame. */
  | "note"
  /** Takes a snapshot. */
  | "show"
  /** Shows an empty table. */
  | "empty"
  /** Gives up what has arrived: nothing can be added to it. */
  | "release"
  /** Notifies at once. */
  | "tell"
  /** Ends all subscriptions. */
  | "leave";

/** The state after an event, and what the live table does; null if the event changes nothing. */
type Cell = readonly [LiveState, ...LiveEffect[]] | null;

/** The state of the snapshots. */
export const SHOWN = {
  loading: "loading",
  refilling: "loading",
  complete: "complete",
  partial: "partial",
  failed: "failed",
  aborted: "aborted",
  freed: "aborted",
} as const satisfies Record<LiveState, LiveSnapshot["state"]>;

/** What calls tell where none runs is too late: another call has ended the loading. */
const NO_CALL = {
  change: null,
  receive: null,
  lack: null,
  fail: null,
  lose: null,
  refuse: null,
  abort: null,
  cancel: null,
};

const waits = (next: LiveState) =>
  ({
    ...NO_CALL,
    continue: [next, "begin", "note", "show"],
    free: ["freed", "stop", "leave", "release"],
  }) as const;

/** @param otherwise the state after an error that leaves what has arrived */
const loads = (state: LiveState, otherwise: LiveState) =>
  ({
    change: [state, "note"],
    receive: ["complete", "show", "release", "tell"],
    lack: ["partial", "show", "tell"],
    fail: [otherwise, "show", "tell"],
    lose: ["failed", "show", "tell"],
    refuse: ["failed", "stop", "release", "empty", "tell"],
    abort: ["aborted", "show", "tell"],
    cancel: [state, "stop"],
    continue: [state, "begin", "note", "show"],
    free: ["freed", "show", "stop", "leave", "release"],
  }) as const;

/** What each event means in each state. */
export const TRANSITIONS: Record<LiveState, Record<LiveEvent, Cell>> = {
  loading: loads("loading", "failed"),
  refilling: loads("refilling", "partial"),
  complete: { ...NO_CALL, continue: null, free: ["freed", "stop", "leave", "release"] },
  partial: waits("refilling"),
  failed: waits("loading"),
  aborted: waits("loading"),
  freed: { ...NO_CALL, continue: null, free: null },
};
