"use client";

// The entry for React: hooks that load findings while a component is mounted.

export type { HookOptions } from "../react/load.js";
export { type FindingsState, useFindings } from "../react/use-findings.js";
export { type LiveTableState, type LoadControls, useLiveTable } from "../react/use-live-table.js";
