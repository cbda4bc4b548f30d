/** A table that is kept for the next visit, measured inside the page. */

/** Where the bytes are between two visits. */
const place = "kept table";

/**
 * Loads a table and writes it as bytes, which the next visit finds. The last writing counts, so that the code is compiled.
 * @param {number} inspectionKey
 * @param {number} times how often it is written
 */
export async function keepTable(inspectionKey, times) {
  const { FindingsClient } = await import("inspection-findings");
  const table = await new FindingsClient().loadTable(inspectionKey, "sentiment");
  let [writing, bytes] = [0, new Uint8Array()];
  for (let time = 0; time < times; time++) {
    globalThis.gc?.();
    const begin = performance.now();
    bytes = table.toBytes();
    writing = performance.now() - begin;
  }
  await (await caches.open(place)).put(place, new Response(bytes));
  return { writing, byteLength: bytes.byteLength };
}

/**
 * Shows the first chart from the bytes of the visit before, then asks whether the counts have changed. The import of the package has
 * ended before; opening the first bytes loads its module. Opens them again, for the time without that.
 * @param {number} inspectionKey
 * @param {number} times how often they are opened again
 */
export async function visitAgain(inspectionKey, times) {
  const { FindingsClient, FindingsTable } = await import("inspection-findings");
  const response = await (await caches.open(place)).match(place);
  const bytes = new Uint8Array(await /** @type {Response} */ (response).arrayBuffer());
  const begin = performance.now();
  const table = await FindingsTable.fromBytes(bytes);
  table.countBy("TopicGroup", "Sentiment");
  const toFirstChart = performance.now() - begin;
  let requests = 0;
  const client = new FindingsClient({
    fetch: (...request) => {
      requests++;
      return fetch(...request);
    },
  });
  const refreshed = await client.loadTable(inspectionKey, "sentiment", { from: table });
  if (refreshed.length !== inspectionKey) {
    throw new Error(`the table has ${refreshed.length} findings and not ${inspectionKey}`);
  }
  let opening = 0;
  for (let time = 0; time < times; time++) {
    globalThis.gc?.();
    const begin = performance.now();
    const again = await FindingsTable.fromBytes(bytes);
    opening = performance.now() - begin;
    again.free();
  }
  return { toFirstChart, requests, opening };
}
