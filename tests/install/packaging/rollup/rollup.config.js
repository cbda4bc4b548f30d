import resolve from "@rollup/plugin-node-resolve";
import url from "@rollup/plugin-url";

export default {
  input: ["main.js", "inline.js", "separate.js"],
  output: { dir: "dist" },
  plugins: [resolve({ browser: true }), url({ include: "**/*.wasm", limit: 0 })],
};
