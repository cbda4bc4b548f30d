"use client";
// The entry for React: hooks that load findings while a component is mounted.

export { type FindingsState, useFindings } from "../react/use-findings.js";
export { useLiveTable } from "../react/use-live-table.js";
