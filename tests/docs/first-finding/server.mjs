// server.mjs: serves the page, the package's files and the two functions
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import process from "node:process";
import { proxy } from "./proxy.mjs";
import { token } from "./token.mjs";

/** @type {Record<string, string>} */
const types = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };

/** @param {string} path */
async function respond(path) {
  const [, findings] = path.match(/^\/cxi\/(Findings\/\d+(?:\/(?:Sentiment|Topics)\/\d+)?)$/) ?? [];
  if (findings !== undefined) return proxy(findings);
  if (path === "/token") return token();
  const file = path === "/" ? "index.html" : path.slice(1);
  const [, ending] = file.match(/^(?:\w+|node_modules\/inspection-findings\/dist\/\w+)\.(html|js|wasm)$/) ?? [];
  if (ending === undefined) return new Response(null, { status: 404 });
  return new Response(await readFile(file), { headers: { "content-type": types[ending] } });
}

const server = createServer(async ({ url = "/" }, outgoing) => {
  const response = await respond(url).catch(() => new Response(null, { status: 404 }));
  for (const name of ["content-type", "cache-control", "retry-after"]) {
    outgoing.setHeader(name, response.headers.get(name) ?? []);
  }
  outgoing.writeHead(response.status).end(Buffer.from(await response.arrayBuffer()));
});
const port = process.env.PORT ?? 8080;
server.listen(port, () => console.log(`Open http://localhost:${port}/`));
