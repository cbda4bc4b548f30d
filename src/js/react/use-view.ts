// What the hooks share: a component that shows a view.

import { useEffect, useState, useSyncExternalStore } from "react";
import type { View, Wanted } from "../view/live-view.js";

/** Shows what a component wants while it is mounted. */
export function useView<State>(ViewClass: new () => View<unknown, State>, wanted: Wanted): State {
  const [view] = useState(() => new ViewClass());
  useEffect(() => view.show(wanted));
  useEffect(() => view.stop, [view]);
  const state = useSyncExternalStore(view.subscribe, view.getState, () => view.waiting);
  // A render may want something else than what is shown, until its effect has run.
  return view.isFor(wanted) ? state : view.waiting;
}
