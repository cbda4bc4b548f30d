/** The library with the package in it, the library without it, and an app that uses the latter, by `--mode`. */

const lib = { formats: ["es"] };

const configurations = {
  bundled: { build: { lib: { ...lib, entry: ["main.js", "inline.js"] } } },
  external: {
    build: {
      lib: { ...lib, entry: { main: "main.js" } },
      rolldownOptions: { external: ["inspection-findings"] },
      outDir: "library",
    },
  },
  app: { build: { rolldownOptions: { input: "app.html" } } },
};

export default ({ mode }) => configurations[mode] ?? {};
