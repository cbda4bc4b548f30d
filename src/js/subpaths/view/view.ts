// The entry for views: what a component shows of an inspection, in any framework.

export { createFindingsView } from "../view/findings-view.js";
export { createTableView } from "../view/table-view.js";
export type {
  FindingsState,
  FindingsView,
  InspectionView,
  LiveTableState,
  LoadControls,
  TableView,
  ViewOptions,
} from "../view/view-types.js";
