"use client";

import { useEffect } from "react";

export default function Page() {
  useEffect(() => {
    import("../../quick-start.js");
  }, []);
  return <p>A project</p>;
}
