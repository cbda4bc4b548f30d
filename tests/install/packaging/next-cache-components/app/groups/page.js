// app/groups/page.js
import { FindingsClient } from "inspection-findings";
import { cacheLife } from "next/cache";
import { connection } from "next/server";
import { Suspense } from "react";

const client = new FindingsClient({
  baseUrl: process.env.FINDINGS_URL,
  headers: { Authorization: process.env.FINDINGS_TOKEN ?? "" },
});

/** The largest topic groups, which the server loads once an hour for all visitors. */
async function groupsOf(inspectionKey) {
  "use cache";
  cacheLife("hours");
  const table = await client.loadTable(inspectionKey, "sentiment", { totalTimeout: 10_000 });
  const groups = table.countBy("TopicGroup").slice(0, 10);
  table.free();
  return groups;
}

async function Findings() {
  await connection(); // While the project is built, nothing is loaded.
  const groups = await groupsOf(42);
  return (
    <ul>
      {groups.map(({ key: [group], count }) => (
        <li key={group}>
          {group ?? "no group"}: {count}
        </li>
      ))}
    </ul>
  );
}

export default function Page() {
  return (
    <Suspense fallback={<p>Loading …</p>}>
      <Findings />
    </Suspense>
  );
}
