// The entry for views: what a component shows of an inspection, in any framework.

export { createFindingsView } from "./findings-view.js";
export { createTableView } from "./table-view.js";
export type {
  FindingsState,
  FindingsView,
  InspectionView,
  LiveTableState,
  LoadControls,
  TableView,
  ViewOptions,
} from "./view-types.js";
