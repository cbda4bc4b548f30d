// The states of what a component shows, and what each event does in each of them.

/** A state of a view. The live table of a load has states of its own, such as `failed`. */
export type ViewState =
  /** Nothing is wanted. */
  | "idle"
  /** A load has begun, and has no live table yet: the store may have to be read. */
  | "opening"
  /** The same, and the live table will be cancelled. */
  | "cancelled"
  /** The live table loads, or has ended before it was complete. */
  | "loading"
  /** All has arrived. */
  | "shown"
  /** All had arrived before the component was stopped. */
  | "hidden"
  /** The component was stopped before all had arrived. */
  | "stopped"
  /** What is wanted cannot be loaded: its client or its store is none, or each render has another client. */
  | "refused";

/** What can happen to a view. */
export type ViewEvent =
  /** The component wants what is loaded already. */
  | "show"
  /** The component wants something else. */
  | "want"
  /** The component has no key yet. */
  | "wait"
  /** A load cannot begin. */
  | "refuse"
  /** The live table of the load is there. */
  | "open"
  /** The live table has changed, and is not complete. */
  | "change"
  /** The service has refused the load to its user. */
  | "deny"
  /** The live table is complete. */
  | "complete"
  /** The functions for buttons. */
  | "cancel"
  | "resume"
  | "reload"
  /** The component is hidden or unmounted. */
  | "stop";

/** What a view does, in this order. */
export type ViewEffect =
  /** Keeps what is complete, to show it until a reload is complete, too. */
  | "keep"
  /** Forgets what was complete before. */
  | "forget"
  /** Ends the load, and frees its live table. */
  | "end"
  /** Begins a load of what is wanted. */
  | "begin"
  /** Begins the load again that the stop of the component has ended. */
  | "again"
  /** Begins a load that requests everything. */
  | "reload"
  /** Forgets the load. */
  | "drop"
  /** Follows the live table. */
  | "follow"
  /** Calls the function of the live table. */
  | "cancel"
  | "resume"
  /** Notifies the component. */
  | "tell";

/** The state after an event, and what the view does; null if the event changes nothing. */
type Cell = readonly [ViewState, ...ViewEffect[]] | null;

/** No load begins. */
const NO_BEGINNING = { refuse: null, open: null };

/** Nobody follows a live table. */
const NO_TABLE = { change: null, deny: null, complete: null };

/** Nothing is under way. */
const AT_REST = { ...NO_BEGINNING, ...NO_TABLE, cancel: null, resume: null, reload: null, stop: null };

/** A load is under way. */
const UNDER_WAY = {
  show: null,
  want: ["opening", "end", "forget", "begin", "tell"],
  wait: ["idle", "end", "forget", "drop", "tell"],
  reload: ["opening", "end", "reload", "tell"],
  stop: ["stopped", "end"],
} as const;

/** What each event means in each state. */
export const TRANSITIONS: Record<ViewState, Record<ViewEvent, Cell>> = {
  idle: { ...AT_REST, show: null, want: ["opening", "begin", "tell"], wait: null },
  opening: {
    ...UNDER_WAY,
    ...NO_TABLE,
    refuse: ["refused"],
    open: ["loading", "follow"],
    cancel: ["cancelled"],
    resume: null,
  },
  cancelled: {
    ...UNDER_WAY,
    ...NO_TABLE,
    refuse: null,
    open: ["loading", "follow", "cancel"],
    cancel: null,
    resume: ["opening"],
  },
  loading: {
    ...UNDER_WAY,
    ...NO_BEGINNING,
    change: ["loading", "tell"],
    deny: ["loading", "forget", "tell"],
    complete: ["shown", "forget", "tell"],
    cancel: ["loading", "cancel"],
    resume: ["loading", "resume"],
  },
  shown: {
    ...AT_REST,
    show: null,
    want: ["opening", "end", "begin", "tell"],
    wait: ["idle", "end", "drop", "tell"],
    reload: ["opening", "keep", "end", "reload", "tell"],
    stop: ["hidden", "end"],
  },
  hidden: {
    ...AT_REST,
    show: ["shown", "tell"],
    want: ["opening", "begin", "tell"],
    wait: ["idle", "drop", "tell"],
  },
  stopped: {
    ...AT_REST,
    show: ["opening", "again", "tell"],
    want: ["opening", "forget", "begin", "tell"],
    wait: ["idle", "forget", "drop", "tell"],
  },
  refused: {
    ...AT_REST,
    show: null,
    want: ["opening", "forget", "begin", "tell"],
    wait: ["idle", "forget", "drop", "tell"],
    reload: ["opening", "reload", "tell"],
    stop: ["stopped"],
  },
};
