/** The built package, served without changes under an address of the page's host. */

import sirv from "sirv";
import { dist } from "../../tools/repository.js";

/** How the package names the script of its worker. */
const workerScript = 'new URL("./worker.js", import.meta.url)';

/** A page that can load modules, with a policy in its head where one is given. @param {string | null} policy */
function pageWith(policy) {
  const meta = policy === null ? "" : `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  return `<!doctype html>${meta}<script>globalThis.load = (address) => import(address);</script>`;
}

/** A service worker that responds for partitions with those of an earlier analysis. */
const serviceWorker = `addEventListener("fetch", (event) => {
  if (/Findings\\/1\\/Topics/.test(event.request.url)) event.respondWith(new Response('{"Findings":[]}'));
});`;

/**
 * A plugin of Vite, which would otherwise rewrite the files, `import.meta.url` above all. What imports the package by its name gets the entry
 * of builds for production, not that of development servers, with the worker's script as it is shipped. The parameter `policy` of an address gives the
 * response a policy. There is a page, too, whose parameter `meta` gives it a policy in its head, and a service worker.
 * @param {string} path under which the files are
 * @returns {import("vite").Plugin}
 */
export function shippedPackage(path) {
  return {
    name: "shipped-package",
    enforce: "pre",
    config: () => ({ resolve: { conditions: ["module", "browser"] } }),
    transform: {
      filter: { id: /\/dist\/index\.js$/ },
      handler: (code) => code.replace(workerScript, `new URL("${path}/worker.js", location.origin)`),
    },
    configureServer({ middlewares }) {
      const files = sirv(dist, { dev: true });
      middlewares.use(path, (request, response, next) => {
        const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
        const policy = searchParams.get("policy");
        if (policy !== null) response.setHeader("content-security-policy", policy);
        if (pathname === "/service-worker.js") {
          response.setHeader("content-type", "text/javascript");
          return response.end(serviceWorker);
        }
        if (pathname !== "/page.html") return files(request, response, next);
        response.setHeader("content-type", "text/html");
        response.end(pageWith(searchParams.get("meta")));
      });
    },
  };
}
