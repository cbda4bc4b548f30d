/** Findings as an Apache Arrow IPC stream, by the package. The package's writer is loaded when it is first used. */

import type { FindingsTable } from "inspection-findings";
import type { Format } from "./format.js";
import { yieldNow } from "./yield-now.js";

/** Milliseconds within which a visible page draws. */
const drawingTime = 100;

export const arrow: Format = {
  name: "Arrow",
  // `.arrow` is the other format of Arrow, whose files have a footer.
  extension: ".arrows",
  mediaType: "application/vnd.apache.arrow.stream",
  async save(findings, write, { signal, onProgress }) {
    const stream = await arrowStream(findings, signal);
    await write(stream);
    signal.throwIfAborted();
    onProgress(findings.length);
  },
};

/** Writes a table as a stream, in one time slice. Rejects with the signal's reason when it is aborted before. */
export async function arrowStream(
  findings: FindingsTable<object>,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { toArrowIPC } = await import("inspection-findings/arrow");
  await drawn();
  signal.throwIfAborted();
  return toArrowIPC(findings);
}

/** Resolves once the page shows that the export has begun; soon in a hidden page, which draws nothing. */
function drawn(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => resolve(yieldNow()));
    setTimeout(resolve, drawingTime);
  });
}
