"use client";

// The entry for React: hooks that load findings while a component is mounted.

export { useFindings } from "../react/use-findings.js";
export { useLiveTable } from "../react/use-live-table.js";
export type { FindingsState } from "../view/findings-view.js";
export type { HookOptions, LiveTableState, LoadControls } from "../view/live-view.js";
