/** The content security policy of the pages, as a plugin of Vite that writes it into each. Directives that a `<meta>` cannot have are left to the server. */

const directives = {
  // Everything that is not listed below: frames, media, manifests, plug-ins.
  "default-src": "'none'",
  // The page's own files, and the compilation of WebAssembly; no inline script, no `eval`.
  "script-src": "'self' 'wasm-unsafe-eval'",
  // Scripts may always set `element.style`.
  "style-src": "'self'",
  "img-src": "'self'",
  // The reader's own service is on any host over https, or on this machine, which seldom has a certificate.
  "connect-src": "'self' https: http://localhost:* http://127.0.0.1:*",
  "worker-src": "'self'",
  "base-uri": "'none'",
  // Scripts read the forms, which are never submitted.
  "form-action": "'none'",
};

/** @returns {import("vite").Plugin} */
export function contentSecurityPolicy() {
  const content = Object.entries(directives)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join("; ");
  return {
    name: "content-security-policy",
    // Vite's development server needs inline styles and a web socket.
    apply: "build",
    transformIndexHtml: {
      // Runs last, because the policy does not apply to elements before it.
      order: "post",
      handler: () => [
        { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content }, injectTo: "head-prepend" },
      ],
    },
  };
}
