import { getFindings } from "./node_modules/inspection-findings/dist/index.js";

self.addEventListener("message", (event) => event.waitUntil(respond(event)));

async function respond({ data, ports }) {
  try {
    ports[0].postMessage({ findings: await getFindings(...data) });
  } catch (error) {
    ports[0].postMessage({ error: String(error) });
  }
}
