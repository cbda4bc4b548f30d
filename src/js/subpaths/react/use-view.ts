// What the hooks share: a component that shows a view.

import { useEffect, useState, useSyncExternalStore } from "react";
import type { InspectionView, Shown } from "../view/view-types.js";

/** Shows an inspection while a component is mounted. */
export function useView<State>(create: () => InspectionView<never, State>, ...shown: Shown): State {
  const [view] = useState(create);
  useEffect(() => (view.show as (...shown: Shown) => void)(...shown));
  useEffect(() => view.stop, [view]);
  const state = useSyncExternalStore(view.subscribe, view.getSnapshot, view.getServerSnapshot);
  // A render may want something else than what is shown, until its effect has run.
  return view.isShowing(...shown) ? state : view.getServerSnapshot();
}
