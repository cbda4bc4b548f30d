"use client";

// The entry for React: hooks that load findings while a component is mounted.

export { useFindings } from "../react/use-findings.js";
export { useLiveTable } from "../react/use-live-table.js";
export type { FindingsState, LiveTableState, LoadControls, ViewOptions } from "../view/view-types.js";
