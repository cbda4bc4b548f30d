// The types of views.

import type { FindingsClient } from "../../core/client/client.js";
import type { TableOptions, WithColumns } from "../../core/client/options.js";
import type { LiveProgress, LiveSnapshot } from "../../core/live/live-table-types.js";
import type { CallFinding } from "../../core/table/column-name.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "../../core/table/finding.js";
import type { FindingsStore } from "../keep/findings-store.js";

/** The options of a view, and of the hooks for React: {@link TableOptions} and `store`. `from` applies only without a store, which has the earlier table. */
export type ViewOptions = OptionsWithStore & ({ store?: undefined } | { from?: undefined });

interface OptionsWithStore extends TableOptions {
  /**
   * The store of `inspection-findings/keep` that keeps the table for the next visit. Create it outside of components.
   *
   * @default none
   */
  store?: FindingsStore | undefined;
}

/** Functions for buttons. They are always the same. */
export interface LoadControls {
  /** Stops loading, and keeps what has arrived: the state becomes `"aborted"`. Has no effect unless it loads. */
  cancel(this: void): void;
  /**
   * If the state is `"partial"`, `"failed"` or `"aborted"`, tries again, and fetches only what is missing. You can
   * cancel that, too. Has no effect in any other state.
   */
  resume(this: void): void;
  /**
   * Loads everything again from the beginning, in any state: without the table `from`, although a store keeps the table, and although the option
   * `signal` has been aborted. What is complete is shown until the reload is complete, too, also if the reload fails; but no longer after status 401 or 403.
   */
  reload(this: void): void;
}

/** Before anything is loaded: on a server, before a component is mounted, without a key, and while a store is read. */
export interface Waiting {
  readonly state: "loading";
  readonly table?: undefined;
  readonly findings?: undefined;
  readonly progress?: undefined;
  readonly error?: undefined;
}

/** The latest snapshot of a live table, and functions for buttons. */
export type LiveTableState<Finding = InspectionFinding> = LoadControls & (LiveSnapshot<Finding> | Waiting);

/** The findings as objects, and functions for buttons. */
export type FindingsState<Finding = InspectionFinding> = LoadControls & (Waiting | Loaded<Finding>);

type Loaded<Finding> =
  /** Still loading. During a reload, the findings are those of before. */
  | {
      readonly state: "loading";
      readonly findings?: Finding[];
      readonly error?: undefined;
      readonly progress: LiveProgress;
    }
  /** All findings have arrived. */
  | {
      readonly state: "complete";
      readonly findings: Finding[];
      readonly error?: undefined;
      readonly progress: LiveProgress;
    }
  /** Some partitions are missing, with `failurePolicy: "collect"`: `resume()` fetches them. */
  | {
      readonly state: "partial";
      readonly findings: Finding[];
      readonly error: unknown;
      readonly progress: LiveProgress;
    }
  /** The call has failed, or the objects could not be built: `resume()` tries again. After a reload, the findings are those of before. */
  | {
      readonly state: "failed";
      readonly findings?: Finding[];
      readonly error: unknown;
      readonly progress: LiveProgress;
    }
  /** `cancel()`, the signal or the client has ended the call: `resume()` continues. After a reload, the findings are those of before. */
  | {
      readonly state: "aborted";
      readonly findings?: Finding[];
      readonly error: unknown;
      readonly progress: LiveProgress;
    };

/** What a view shows: the arguments of {@link InspectionView.show}. */
export type Shown = readonly [
  client: FindingsClient<unknown>,
  inspectionKey: InspectionKey | null | undefined,
  kind: FindingKind,
  options?: ViewOptions | undefined,
];

/** Anything, if the findings of a call fit a view. Its member explains the error if they do not. */
type Fitting<Called, Finding> = [Called] extends [Finding]
  ? unknown
  : { readonly "the type argument of the view has other fields than the findings of this call": never };

/**
 * What a component shows of an inspection: a store for any framework, returned by {@link createTableView} and {@link createFindingsView}. All methods are
 * bound: you can pass `view.subscribe` around.
 *
 * @example
 * import { createTableView } from "inspection-findings/view";
 *
 * const view = createTableView();
 * view.subscribe(() => console.log(view.getSnapshot().state));
 * view.show(client, 42, "sentiment");
 */
export interface InspectionView<Finding, State> {
  /**
   * Loads the findings of an inspection. Call it whenever the arguments may have changed, for example after each render: it has no effect while they
   * are the same. Another inspection, kind, client or list of `columns` ends the load before, and begins another one. If an argument is wrong, the
   * state becomes `"failed"`.
   *
   * @param client create it outside of components. If each of several calls has a new client, the view stops loading, and the state is `"failed"`.
   * @param inspectionKey undefined or null to wait, for example until a route or another query has the key
   * @param options read when loading starts. Later changes have no effect, except a change of the names in `columns`. You can free the table `from`
   * right after the call.
   * @example
   * import { createTableView } from "inspection-findings/view";
   *
   * createTableView().show(client, 42, "sentiment", { failurePolicy: "collect" });
   */
  show<Own, const Names extends readonly string[] = never, Kind extends FindingKind = FindingKind>(
    this: void,
    client: FindingsClient<Own> & Fitting<CallFinding<Own, Kind, Names>, Finding>,
    inspectionKey: InspectionKey | null | undefined,
    kind: Kind,
    options?: WithColumns<ViewOptions, Own, Names>,
  ): void;
  /**
   * Stops loading, when the component is unmounted or hidden. What is complete stays: {@link show} with the same arguments shows it again without a
   * request.
   *
   * @example
   * import { createTableView } from "inspection-findings/view";
   *
   * const view = createTableView();
   * addEventListener("pagehide", view.stop);
   */
  stop(this: void): void;
  /**
   * Calls a function after each change, until you call the returned function.
   *
   * @example
   * import { createTableView } from "inspection-findings/view";
   *
   * const view = createTableView();
   * const unsubscribe = view.subscribe(() => console.log(view.getSnapshot().table?.length));
   */
  subscribe(this: void, onChange: () => void): () => void;
  /**
   * Returns what to show: the same object until something changes.
   *
   * @example
   * import { createTableView } from "inspection-findings/view";
   *
   * const { state, table, error, cancel, resume, reload } = createTableView().getSnapshot();
   */
  getSnapshot(this: void): State;
  /** Returns what a server shows, and a component before it is mounted: the state `"loading"`, without findings. */
  getServerSnapshot(this: void): State;
  /** Whether {@link getSnapshot} is about these arguments of {@link show}. Otherwise a render shows {@link getServerSnapshot}. */
  isShowing(this: void, ...shown: Shown): boolean;
}

/** A view of a table that grows while it loads, returned by {@link createTableView}. */
export type TableView<Finding = InspectionFinding> = InspectionView<Finding, LiveTableState<Finding>>;

/** A view of findings as objects, returned by {@link createFindingsView}. */
export type FindingsView<Finding = InspectionFinding> = InspectionView<Finding, FindingsState<Finding>>;
