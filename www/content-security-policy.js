/**
 * The content security policy of the demo, as a plugin of Vite that writes it into the page:
 *
 *     import { contentSecurityPolicy } from "./content-security-policy.js";
 *     plugins: [contentSecurityPolicy(), …], build: { assetsInlineLimit: 0, … }
 *
 * (Assets that Vite writes into others as `data:` addresses would be refused, hence the limit of 0.)
 *
 * What a `<meta>` cannot say, `frame-ancestors` and `report-to` above all, is left to the server's headers.
 */

/** @type {Record<string, string>} */
const directives = {
  // Whatever is not named below: frames, media, manifests, plug-ins.
  "default-src": "'none'",
  // Own files, and compiling WebAssembly; no inline script, no `eval`.
  "script-src": "'self' 'wasm-unsafe-eval'",
  // Also no style attribute in markup. What a script sets through `element.style` is allowed everywhere.
  "style-src": "'self'",
  "img-src": "'self'",
  // A service of the reader's own is on any host, or on this machine, where there is seldom a certificate.
  "connect-src": "'self' https: http://localhost:* http://127.0.0.1:*",
  "worker-src": "'self'",
  "object-src": "'none'",
  "base-uri": "'none'",
  // The forms are read by scripts and sent nowhere.
  "form-action": "'none'",
};

/** The development server writes styles into the page, and tells it over a web socket what has changed. */
const inDevelopment = {
  ...directives,
  "style-src": "'self' 'unsafe-inline'",
  "connect-src": `${directives["connect-src"]} ws://localhost:* ws://127.0.0.1:*`,
};

/** @returns {import("vite").Plugin} */
export function contentSecurityPolicy() {
  return {
    name: "content-security-policy",
    transformIndexHtml: {
      // After all others: what they add before it would not be bound by it.
      order: "post",
      handler: (_, { server }) => [
        {
          tag: "meta",
          attrs: {
            "http-equiv": "Content-Security-Policy",
            content: written(server === undefined ? directives : inDevelopment),
          },
          injectTo: "head-prepend",
        },
      ],
    },
  };
}

/** @param {Record<string, string>} policy */
function written(policy) {
  return Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join("; ");
}
