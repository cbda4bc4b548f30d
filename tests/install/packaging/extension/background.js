import { getFindings } from "./node_modules/inspection-findings/dist/index.js";

chrome.runtime.onMessage.addListener((call, _sender, respond) => {
  getFindings(...call).then(
    (findings) => respond({ findings }),
    (error) => respond({ error: String(error) }),
  );
  return true;
});
