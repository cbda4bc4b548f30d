"use client";

import { useEffect } from "react";

/** Leaves the findings where the test looks for them. */
export function Result({ findings }) {
  useEffect(() => {
    Object.assign(globalThis, { result: { findings } });
  }, [findings]);
  return <p>A project</p>;
}
