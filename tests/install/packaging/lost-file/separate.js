import url from "inspection-findings/inspection_findings_bg.wasm";
import { getFindings, init } from "inspection-findings/manual";
import { retrieveInPage } from "./common/in-page.js";

await init({ module: new URL(url, import.meta.url) });
retrieveInPage(getFindings);
