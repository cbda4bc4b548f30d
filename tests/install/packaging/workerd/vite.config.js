/** A server build of Vite for workerd, which leaves the package to wrangler. */

export default {
  build: { ssr: "server.js", outDir: "built" },
  ssr: {
    target: "webworker",
    external: ["inspection-findings"],
    resolve: { conditions: ["workerd"] },
  },
};
