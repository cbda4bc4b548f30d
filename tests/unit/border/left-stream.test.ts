/** A stream that its reader leaves. */

import { test } from "vitest";
import { runNode } from "../../run-node.js";

test.for(["", "totalTimeout: 60_000"])(
  "a stream that is left after a partition keeps no process alive: { %s }",
  async (options) => {
    const program = `
    import { FindingsClient } from "inspection-findings";
    import { createFakeService } from "inspection-findings/testing";
    const { baseUrl, fetch } = createFakeService({ topics: { findings: 6, partitions: 6 } });
    const stream = new FindingsClient({ baseUrl, fetch, ${options} }).streamPartitions(42, "topics");
    await stream.next();`;
    await runNode(["--input-type=module", "--eval", program], { cwd: import.meta.dirname, timeout: 20_000 });
  },
);
