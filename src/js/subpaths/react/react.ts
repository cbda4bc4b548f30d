"use client";

// The entry for React: hooks that load findings while a component is mounted.

export type { FindingsState, LiveTableState, LoadControls, ViewOptions } from "../view/view-types.js";
export { useFindings } from "./use-findings.js";
export { useLiveTable } from "./use-live-table.js";
