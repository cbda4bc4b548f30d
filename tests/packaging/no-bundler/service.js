import { retrieveInPage } from "./common/in-page.js";

await navigator.serviceWorker.register("./service-worker.js", { type: "module" });
const { active } = await navigator.serviceWorker.ready;
retrieveInPage(
  (...call) =>
    new Promise((resolve, reject) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => (data.error === undefined ? resolve(data.findings) : reject(data.error));
      active.postMessage(call, [port2]);
    }),
);
