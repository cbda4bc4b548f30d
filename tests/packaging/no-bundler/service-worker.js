import { getFindings, init } from "./node_modules/inspection-findings/dist/slim.js";

const address = new URL("./node_modules/inspection-findings/dist/inspection_findings_bg.wasm", import.meta.url);

self.addEventListener("message", (event) => event.waitUntil(answer(event)));

async function answer({ data, ports }) {
  try {
    await init(address);
    ports[0].postMessage({ findings: await getFindings(...data) });
  } catch (error) {
    ports[0].postMessage({ error: String(error) });
  }
}
