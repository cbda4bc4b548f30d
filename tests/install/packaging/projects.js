/** The projects: what each installs, builds and runs, and what it has to show. */

import { blocksIn } from "../../docs/documents.js";

/**
 * @typedef {object} Run its commands are words between spaces
 * @property {string} name
 * @property {string[]} [build] commands that build the project
 * @property {string} [passes] a command of the project's own tests, which have to pass
 * @property {string} [command] a command that fetches all findings by itself
 * @property {string} [exports] a command that exports the sentiment findings to `findings.ndjson`
 * @property {string} [serve] a command that serves the project at `{port}`
 * @property {string} [folder] a folder that a plain server serves
 * @property {boolean} [hasInlineScripts] whether the build writes scripts into its page, which a strict content security policy forbids
 * @property {boolean} [asExtension] whether the folder is an extension of the browser
 * @property {string} [respondsAt] the path at which the server itself responds with the findings
 * @property {string} [shows] a text of the page, which a recipe of the documentation shows
 * @property {string} [page] the path of the page, the root unless given
 * @property {string} [workerSource] the `worker-src` of the strict policy, `'self'` unless given
 * @property {Outcome} [inPage] works unless given
 * @property {Outcome} [inWorker] the outcome with `worker: true`; works unless given
 * @property {Outcome} [inOwnWorker] the outcome in a worker of the project's own; not tried unless given
 *
 * @typedef {"works" | RegExp} Outcome or the error
 *
 * @typedef {object} Project
 * @property {string} title the tool and its version, as the table in `www/docs/toolchains.md` names it
 * @property {Record<string, string>} [installs] the version of each package besides the tarball
 * @property {string[]} [layers] folders with its files, its own unless given; each replaces files of those before it
 * @property {object} [manifest] members of its `package.json`
 * @property {string} [manager] the command of another package manager that installs `{tarball}`; npm unless given
 * @property {boolean} [inFullTier]
 * @property {Run[]} runs
 */

/** The pages of the documentation with files of the projects: each is marked with the folder and the name. */
export const guides = ["www/docs/frameworks.md", "www/docs/node.md", "www/docs/testing.md"];

const [deno, bun] = blocksIn("www/docs/toolchains.md")
  .filter(({ language, marks }) => language === "sh" && marks.length > 0)
  .flatMap(({ code }) => code.trim().split("\n"));

const [{ code: ofParcel }] = blocksIn("www/docs/toolchains.md").filter(
  ({ language, marks }) => language === "json" && marks.includes("by=tests/install/packaging/projects.js"),
);

const [{ code: withModules }] = blocksIn("www/docs/testing.md").filter(({ language }) => language === "sh");

/** The outcome of a page whose own worker is tried, too. */
const own = { inOwnWorker: /** @type {const} */ ("works") };

/** What the default entry says where its separate files are lost. */
const error = /import inspection-findings\/inline/;
const lost = { inPage: error, inWorker: error };

/** The source of a worker whose script is inlined. */
const workerSource = "blob:";

/** Packages of several projects. */
const [react, vite, wrangler] = [
  { react: "19.3.1", "react-dom": "19.3.1" },
  { vite: "8.3.8" },
  { wrangler: "4.164.0" },
];
const next = { next: "16.4.6", ...react };

const at = "--host 127.0.0.1 --port {port}";
const [viteDev, vitePreview] = [`vite ${at} --strictPort`, `vite preview ${at} --strictPort`];

/** @type {Run[]} */
const viteRuns = [
  served("the development server", viteDev, own),
  served("a build, previewed", vitePreview, { build: ["vite build"], ...own }),
  built("a build, under a strict policy", [], own),
];

const inlinePage = built("inline", [], { page: "inline.html", workerSource });

/** What a bundler that loses separate files runs after it has built all pages. @type {Run[]} */
const withoutLostFile = [
  inlinePage,
  { ...inlinePage, name: "manual, with the separate file by a loader", page: "separate.html" },
  built(
    "the default entry, with its files copied beside the bundle",
    ["inspection_findings_bg.wasm", "worker.js"].map(
      (name) => `cp node_modules/inspection-findings/dist/${name} dist/`,
    ),
  ),
];

const [ngServe, nextStart, nuxtStart] = [
  `ng serve ${at}`,
  "next start -H 127.0.0.1 -p {port}",
  "node .output/server/index.mjs",
];
const wranglerDev = (/** @type {string} */ words) =>
  `wrangler dev${words} --ip 127.0.0.1 --port {port} --var SERVICE:{service}`;
const page = ["page"];

/** @type {Record<string, Project>} */
export const projects = {
  extension: {
    title: "A browser extension",
    layers: ["page", "extension"],
    runs: [
      {
        name: "a page of the extension",
        build: [importing("./node_modules/inspection-findings/dist/index.js", "main.js own-worker.js")],
        asExtension: true,
        page: "index.html",
        ...own,
      },
      { name: "its service worker", asExtension: true, page: "messages.html", inWorker: /no web workers/ },
    ],
  },
  "vite-5": { title: "Vite 5", installs: { vite: "5.4.21" }, layers: page, inFullTier: true, runs: viteRuns },
  "vite-6": { title: "Vite 6", installs: { vite: "6.4.6" }, layers: page, runs: viteRuns },
  "vite-7": { title: "Vite 7", installs: { vite: "7.3.8" }, layers: page, runs: viteRuns },
  "vite-8": {
    title: "Vite 8",
    installs: vite,
    layers: page,
    inFullTier: true,
    runs: [...viteRuns, objectsRun("vite build")],
  },
  "vite-library": {
    title: "Vite's library mode",
    installs: vite,
    layers: ["page", "lost-file", "vite-library"],
    runs: [
      served("a library that bundles the package, without a policy", vitePreview, {
        build: ["vite build --mode bundled", "cp index.html dist/"],
        ...own,
      }),
      inlinePage,
      built(
        "a library whose app bundles the package, under a strict policy",
        [
          ...["vite build --mode external", "cp index.html app.html"],
          ...["sed -i s#./main.js#./library/main.js# app.html", "vite build --mode app"],
        ],
        { page: "app.html" },
      ),
    ],
  },
  webpack: {
    title: "webpack 5",
    installs: { webpack: "5.112.2", "webpack-cli": "7.3.1" },
    layers: ["page", "classic-page"],
    inFullTier: true,
    runs: [...runsOf("webpack"), objectsRun("webpack build --entry ./main.js --mode production -o dist")],
  },
  rspack: {
    title: "Rspack 2",
    installs: { "@rspack/cli": "2.2.8", "@rspack/core": "2.3.2" },
    layers: ["page", "classic-page"],
    runs: runsOf("rspack"),
  },
  angular: {
    title: "Angular CLI 22",
    installs: {
      ...Object.fromEntries(["build", "cli"].map((name) => [`@angular/${name}`, "22.2.7"])),
      ...Object.fromEntries(
        ["compiler", "compiler-cli", "core", "platform-browser"].map((name) => [`@angular/${name}`, "22.2.6"]),
      ),
      ...{ rxjs: "7.8.2", tslib: "2.8.1", typescript: "6.0.3" },
    },
    runs: [
      served("the development server", ngServe, own),
      served("the recipe", ngServe, { page: "?recipe", shows: "Größe: 4" }),
      ...Object.entries({ production: lost, "production,files": own, "production,inline": { workerSource } }).map(
        ([configuration, outcomes]) =>
          built(`a build for ${configuration}, under a strict policy`, [`ng build --configuration ${configuration}`], {
            folder: "dist/browser",
            ...outcomes,
          }),
      ),
    ],
  },
  rollup: {
    title: "Rollup 4",
    installs: { "@rollup/plugin-node-resolve": "16.0.3", "@rollup/plugin-url": "8.0.2", rollup: "4.68.7" },
    layers: ["page", "lost-file", "rollup"],
    runs: [built("the default entry", ["rollup -c"], lost), ...withoutLostFile],
  },
  esbuild: {
    title: "esbuild 0.28",
    installs: { esbuild: "0.28.2" },
    layers: ["page", "lost-file", "process"],
    inFullTier: true,
    runs: [
      built(
        "the default entry",
        ["esbuild main.js inline.js separate.js --bundle --format=esm --outdir=dist --loader:.wasm=file"],
        lost,
      ),
      ...withoutLostFile,
      { ...inlinePage, name: "inline, as a classic script", build: ["esbuild inline.js --bundle --outdir=dist"] },
      {
        name: "CommonJS for Node",
        build: ["esbuild retrieve.js --bundle --platform=node --outfile=dist/server.cjs"],
        command: "node dist/server.cjs",
      },
    ],
  },
  parcel: {
    title: "Parcel 2",
    installs: { parcel: "2.16.4" },
    layers: page,
    manifest: JSON.parse(ofParcel),
    runs: [
      served("the development server", "parcel serve index.html --port {port} --dist-dir served", own),
      built("a build", ["parcel build index.html --public-url ./"], { hasInlineScripts: true, ...own }),
      { ...objectsRun("parcel build index.html --public-url ./ --cache-dir .objects-cache"), hasInlineScripts: true },
    ],
  },
  next: {
    title: "Next 16",
    installs: next,
    layers: ["next-layout", "next"],
    inFullTier: true,
    runs: ["--turbopack", "--webpack"].flatMap((builder) =>
      pagesAndRoutes(
        { dev: `next dev ${builder} -H 127.0.0.1 -p {port}`, build: `next build ${builder}`, start: nextStart },
        ` with ${builder}`,
      ),
    ),
  },
  "next-cache-components": {
    title: "Next 16 with `cacheComponents`",
    installs: next,
    layers: ["next-layout", "next-cache-components"],
    runs: [served("the recipe, in a build", nextStart, { build: ["next build"], page: "groups", shows: "Größe: 4" })],
  },
  "react-router": {
    title: "React Router 8",
    installs: {
      ...Object.fromEntries(["dev", "node", "serve"].map((name) => [`@react-router/${name}`, "8.4.0"])),
      ...{ isbot: "5.2.3", "react-router": "8.4.0", ...react, ...vite },
    },
    runs: pagesAndRoutes({
      dev: `react-router dev ${at}`,
      build: "react-router build",
      start: "react-router-serve build/server/index.js",
    }),
  },
  sveltekit: {
    title: "SvelteKit 3",
    installs: {
      ...{ "@sveltejs/adapter-node": "6.0.1", "@sveltejs/kit": "3.2.0", "@sveltejs/vite-plugin-svelte": "7.3.1" },
      ...{ svelte: "5.57.3", ...vite },
    },
    runs: pagesAndRoutes({ dev: viteDev, build: "vite build", start: vitePreview }),
  },
  astro: {
    title: "Astro 7",
    installs: { astro: "7.3.5" },
    runs: [
      served("the development server", `astro dev ${at}`),
      served("a build", `astro preview ${at}`, { build: ["astro build"] }),
    ],
  },
  nuxt: {
    title: "Nuxt 4",
    installs: { nuxt: "4.5.2", ...wrangler },
    runs: [
      served("a page of the development server", `nuxt dev ${at}`),
      served("a page of a build", nuxtStart, { build: ["nuxt build"] }),
      served("a route of a build", nuxtStart, { respondsAt: "findings" }),
      served(
        "a route of a build for Cloudflare",
        `${wranglerDev(" .output/server/index.mjs")} --compatibility-date 2026-01-01 --compatibility-flags nodejs_compat`,
        { build: ["nuxt build --preset cloudflare_module"], respondsAt: "findings" },
      ),
    ],
  },
  ...Object.assign({}, ...["20.0.0", "20.20.2", "22.23.3", "24.21.0", "26.10.0"].map(inNode)),
  deno: {
    title: "Deno 2",
    installs: { deno: "2.9.6" },
    layers: ["process"],
    runs: [
      {
        name: "a process that may only use the network, and read and write what its test needs",
        command: deno.replace(
          "--allow-net=service.example",
          "--no-prompt --allow-net=127.0.0.1 --allow-env=SERVICE,RESULT --allow-write=.",
        ),
      },
    ],
  },
  bun: {
    title: "Bun 1",
    installs: { bun: "1.4.5" },
    layers: ["page", "lost-file", "process"],
    runs: [
      { name: "a process", command: bun },
      {
        name: "an executable file",
        build: ["bun build --compile retrieve.js --outfile retrieve"],
        command: "./retrieve",
      },
      built("a page by the default entry, without --production", ["bun build main.js --outdir=dist"], { workerSource }),
      built(
        "a page by the default entry, with --production",
        ["bun build --production main.js inline.js separate.js --outdir=dist"],
        lost,
      ),
      ...withoutLostFile,
    ],
  },
  workerd: {
    title: "workerd (wrangler 4)",
    installs: { ...wrangler, ...vite },
    runs: [
      served("wrangler's development server", wranglerDev(""), { respondsAt: "" }),
      served("a server build of Vite", wranglerDev(" built/server.js"), { build: ["vite build"], respondsAt: "" }),
    ],
  },
  "yarn-pnp": {
    title: "Yarn 4 with Plug'n'Play",
    installs: { "@yarnpkg/cli-dist": "4.18.1" },
    layers: ["page", "process", "yarn-pnp"],
    manager: "yarn add inspection-findings@file:{tarball} vite@8.3.8",
    runs: [{ name: "a process", command: "yarn node retrieve.js" }, built("a build by Vite", ["yarn vite build"], own)],
  },
  pnpm: {
    title: "pnpm 12",
    installs: { pnpm: "12.21.0" },
    layers: ["page", "process"],
    manager: "pnpm add {tarball} vite@8.3.8",
    runs: [
      { name: "a process", command: "node retrieve.js" },
      served("Vite's development server", viteDev, own),
      built("a build by Vite", ["vite build"], own),
    ],
  },
  jest: {
    title: "Jest 30",
    installs: {
      ...{ "@babel/core": "7.29.13", "@babel/preset-env": "7.29.14", "@babel/preset-typescript": "7.29.7" },
      ...{ jest: "30.5.2", "jest-environment-jsdom": "30.5.2", "jest-fixed-jsdom": "0.0.11", msw: "2.9.0" },
    },
    inFullTier: true,
    runs: [
      { name: "a test", command: jest("findings") },
      { name: "the fake service, by its fetch, in TypeScript", passes: jest("fake-service", "ts") },
      { name: "the fake service, by a handler of MSW 2", passes: jest("msw") },
      { name: "jsdom alone", passes: jest("jsdom") },
      { name: "fake timers", passes: jest("fake-timers") },
      { name: "fake timers in jsdom", passes: `${jest("fake-timers")} --env jest-fixed-jsdom` },
    ],
  },
  "jest-typescript": {
    title: "Jest 30 with TypeScript",
    installs: { "@types/jest": "30.0.0", jest: "30.5.2", "ts-jest": "29.4.15", typescript: "6.0.3" },
    layers: ["jest", "jest-typescript"],
    runs: [
      { name: "a test", command: untransformed(jest("findings")) },
      { name: "the fake service, by its fetch, in TypeScript", passes: untransformed(jest("fake-service", "ts")) },
    ],
  },
  zone: {
    title: "zone.js",
    installs: { "zone.js": "0.15.1" },
    inFullTier: true,
    runs: [
      { name: "users who share a client", passes: "node contexts.js" },
      {
        name: "users who share a client in a page, under a strict policy",
        build: [importing("./node_modules/inspection-findings/dist/index.js", "page.js")],
        folder: ".",
        page: "page.html",
      },
    ],
  },
  vitest: {
    title: "Vitest 5",
    installs: { "happy-dom": "21.0.4", jsdom: "31.0.1", vitest: "5.1.1" },
    runs: ["node", "jsdom", "happy-dom"].map((environment) => ({
      name: `a test in ${environment}`,
      command: `vitest run --environment ${environment}`,
    })),
  },
};

/** A run of a project with its own server. @type {(name: string, serve: string, more?: Partial<Run>) => Run} */
function served(name, serve, more) {
  return { name, serve, ...more };
}

/** A run of a build on a plain server, under a strict policy. @type {(name: string, build: string[], more?: Partial<Run>) => Run} */
function built(name, build, more) {
  return { name, build, folder: "dist", ...more };
}

/** The command by which scripts import the package from elsewhere. @type {(place: string, scripts: string) => string} */
function importing(place, scripts) {
  return `sed -i s#"inspection-findings"#"${place}"# ${scripts}`;
}

/** A release of Node; all but one are the last of their version. @type {(node: string) => Record<string, Project>} */
function inNode(node) {
  const version = node === "20.0.0" ? "20.0" : node.split(".")[0];
  const program = "node_modules/.bin/node";
  const command = `${program} node_modules/inspection-findings/dist/command.js export 42 sentiment --to findings.ndjson`;
  const closing = { name: "a server that closes the connection after a body", passes: `${program} closing.js` };
  const runs = [
    { name: "a process", command: `${program} retrieve.js` },
    // The `fetch` of Node 20.0 loses the body of a server that closes the connection right after it.
    ...(version === "20.0" ? [] : [closing]),
    { name: "the command", exports: command },
    { name: "users who share a client", passes: `${program} contexts.js` },
  ];
  const project = { title: `Node ${version}`, installs: { node }, layers: ["process", "node"], inFullTier: true, runs };
  return { [`node-${version}`]: project };
}

/**
 * A page and a route, of a framework's development server and of a build.
 * @param {{ dev: string, build: string, start: string }} commands
 * @param {string} [suffix] of the names
 */
function pagesAndRoutes({ dev, build, start }, suffix = "") {
  return [
    served(`a page of a build${suffix}`, start, { build: [build] }),
    served(`a route of a build${suffix}`, start, { respondsAt: "findings" }),
    served(`a page of the development server${suffix}`, dev),
    served(`a route of the development server${suffix}`, dev, { respondsAt: "findings" }),
  ];
}

/** The builds of webpack, and of Rspack, which has the same command line. @type {(command: string) => Run[]} */
function runsOf(command) {
  return ["production", "development"].map((mode) =>
    built(
      `a build for ${mode}, under a strict policy`,
      [`${command} build --entry ./main.js --mode ${mode} --devtool source-map -o dist`],
      // The condition `development` has the script inlined; the project's own worker has a file.
      { ...own, ...(mode === "development" && { workerSource: `'self' ${workerSource}` }) },
    ),
  );
}

/** A build of the same pages with the entry `objects`, after the other runs. @type {(build: string) => Run} */
function objectsRun(build) {
  const scripts = importing("inspection-findings/objects", "main.js own-worker.js");
  return built("a build with the objects entry, under a strict policy", [scripts, build], own);
}

/** The command that runs a test file in Jest. @type {(name: string, language?: string) => string} */
function jest(name, language = "js") {
  return `jest --runTestsByPath ${name}.test.${language}`;
}

/** The same by the command of the guide, which lets Jest load ES modules as they are. @type {(command: string) => string} */
function untransformed(command) {
  return command.replace("jest", withModules.trim());
}
