/**
 * The content security policy of the demo, as a plugin of Vite that writes it into the page:
 *
 *     import { contentSecurityPolicy } from "./content-security-policy.js";
 *     plugins: [contentSecurityPolicy(), …], build: { assetsInlineLimit: 0, … }
 *
 * (The limit of 0 prevents assets as `data:` addresses, which the policy forbids.)
 *
 * Directives that a `<meta>` cannot have, such as `frame-ancestors` and `report-to`, are left to the server's headers.
 */

/** @type {Record<string, string>} */
const directives = {
  // Everything that is not listed below: frames, media, manifests, plug-ins.
  "default-src": "'none'",
  // The page's own files, and the compilation of WebAssembly; no inline script, no `eval`.
  "script-src": "'self' 'wasm-unsafe-eval'",
  // Forbids style attributes in markup too. Scripts may always set `element.style`. The hash is that of the one style element of Observable Plot.
  "style-src": "'self' 'sha256-jSYQUrW7J0b3jPqhZP9C2Xh1PyJKHKXd4s0fpGGKrww='",
  "img-src": "'self'",
  // The reader's own service is on any host over https, or on this machine, which seldom has a certificate.
  "connect-src": "'self' https: http://localhost:* http://127.0.0.1:*",
  "worker-src": "'self'",
  "object-src": "'none'",
  "base-uri": "'none'",
  // Scripts read the forms, which are never submitted.
  "form-action": "'none'",
};

/**
 * The development server inserts styles into the page, and reports changes over a web socket. It has the package with the script of its worker
 * inlined, which starts from a blob.
 */
const inDevelopment = {
  ...directives,
  "worker-src": "'self' blob:",
  "style-src": "'self' 'unsafe-inline'",
  "connect-src": `${directives["connect-src"]} ws://localhost:* ws://127.0.0.1:*`,
};

/** @returns {import("vite").Plugin} */
export function contentSecurityPolicy() {
  return {
    name: "content-security-policy",
    transformIndexHtml: {
      // Runs last, because the policy does not apply to elements before it.
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
