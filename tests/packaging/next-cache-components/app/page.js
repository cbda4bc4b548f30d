import { Suspense } from "react";
import { Result } from "./result.js";
import { retrieved } from "./retrieved.js";

async function Findings() {
  return <Result findings={await retrieved()} />;
}

export default function Page() {
  return (
    <Suspense fallback={<p>Loading …</p>}>
      <Findings />
    </Suspense>
  );
}
