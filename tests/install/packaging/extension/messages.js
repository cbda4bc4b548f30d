import { retrieveInPage } from "./common/in-page.js";

retrieveInPage(async (...call) => {
  const { findings, error } = await chrome.runtime.sendMessage(call);
  if (error !== undefined) throw error;
  return findings;
});
