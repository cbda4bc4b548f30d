/** The projects: what each installs, builds and runs, and what it has to show. */

import { blocksIn } from "../docs/documents.js";

/**
 * @typedef {object} Run its commands are words between spaces
 * @property {string} name
 * @property {string[]} [build] commands that build the project
 * @property {string} [passes] a command of the project's own tests, which have to pass
 * @property {string} [command] a command that fetches all findings by itself
 * @property {string} [serve] a command that serves the project at `{port}`
 * @property {string} [folder] a folder that a plain server serves
 * @property {boolean} [hasInlineScripts] whether the build writes scripts into its page, which a strict content security policy forbids
 * @property {boolean} [asExtension] whether the folder is an extension of the browser
 * @property {string} [respondsAt] the path at which the server itself responds with the findings; `{service}` is the URL of the service
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
 * @property {string} [manager] the command of another package manager that installs `{tarball}`; npm unless given
 * @property {boolean} [inFullTier]
 * @property {Run[]} runs
 */

/** The pages of the documentation with files of the projects: each is marked with the folder and the name. */
export const guides = ["www/docs/frameworks.md", "www/docs/node.md", "www/docs/testing.md"];

const [deno, bun] = blocksIn("www/docs/toolchains.md")
  .filter(({ language, marks }) => language === "sh" && marks.length > 0)
  .flatMap(({ code }) => code.trim().split("\n"));

const [{ code: withModules }] = blocksIn("www/docs/testing.md").filter(({ language }) => language === "sh");

const works = /** @type {const} */ ("works");

const viteDev = "vite --host 127.0.0.1 --port {port} --strictPort";
const vitePreview = "vite preview --host 127.0.0.1 --port {port} --strictPort";

/** @type {Run[]} */
const viteRuns = [
  { name: "the development server", serve: viteDev, inOwnWorker: works },
  { name: "a build, previewed", build: ["vite build"], serve: vitePreview, inOwnWorker: works },
  { name: "a build, under a strict policy", folder: "dist", inOwnWorker: works },
];

/** What the default entry says where its separate files are lost. */
const lost = /import inspection-findings\/inline/;

/** The source of a worker whose script is inlined. */
const workerSource = "blob:";

/** @type {Run} */
const inlinePage = { name: "inline", folder: "dist", page: "inline.html", workerSource };

/** What a bundler that loses separate files runs after it has built all pages. @type {Run[]} */
const withoutLostFile = [
  inlinePage,
  { ...inlinePage, name: "manual, with the separate file by a loader", page: "separate.html" },
  {
    name: "the default entry, with its files copied beside the bundle",
    build: ["inspection_findings_bg.wasm", "worker.js"].map(
      (name) => `cp node_modules/inspection-findings/dist/${name} dist/`,
    ),
    folder: "dist",
  },
];

const ngServe = "ng serve --host 127.0.0.1 --port {port}";

const nextStart = "next start -H 127.0.0.1 -p {port}";

/** @type {Record<string, Project>} */
export const projects = {
  extension: {
    title: "A browser extension",
    layers: ["page", "extension"],
    runs: [
      { name: "a page of the extension", asExtension: true, page: "index.html", inOwnWorker: works },
      { name: "its service worker", asExtension: true, page: "messages.html", inWorker: /no web workers/ },
    ],
  },
  "vite-5": { title: "Vite 5", installs: { vite: "5.4.21" }, layers: ["page"], inFullTier: true, runs: viteRuns },
  "vite-6": { title: "Vite 6", installs: { vite: "6.4.6" }, layers: ["page"], runs: viteRuns },
  "vite-7": { title: "Vite 7", installs: { vite: "7.3.8" }, layers: ["page"], runs: viteRuns },
  "vite-8": {
    title: "Vite 8",
    installs: { vite: "8.3.8" },
    layers: ["page", "objects"],
    inFullTier: true,
    runs: [...viteRuns, objectsRun("vite build")],
  },
  "vite-library": {
    title: "Vite's library mode",
    installs: { vite: "8.3.8" },
    layers: ["page", "lost-file", "vite-library"],
    runs: [
      {
        name: "a library that bundles the package, without a policy",
        build: ["vite build --mode bundled", "cp index.html dist/"],
        serve: vitePreview,
        inOwnWorker: works,
      },
      inlinePage,
      {
        name: "a library whose app bundles the package, under a strict policy",
        build: ["vite build --mode external", "vite build --mode app"],
        folder: "dist",
        page: "app.html",
      },
    ],
  },
  webpack: {
    title: "webpack 5",
    installs: { webpack: "5.112.2", "webpack-cli": "7.3.1" },
    layers: ["page", "classic-page", "objects"],
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
      "@angular/build": "22.2.7",
      "@angular/cli": "22.2.7",
      "@angular/compiler": "22.2.6",
      "@angular/compiler-cli": "22.2.6",
      "@angular/core": "22.2.6",
      "@angular/platform-browser": "22.2.6",
      rxjs: "7.8.2",
      tslib: "2.8.1",
      typescript: "6.0.3",
    },
    runs: [
      { name: "the development server", serve: ngServe, inOwnWorker: works },
      { name: "the recipe", serve: ngServe, page: "?recipe&service={service}", shows: "Größe: 4" },
      ...Object.entries({
        production: { inPage: lost, inWorker: lost },
        "production,files": { inOwnWorker: works },
        "production,inline": { workerSource },
      }).map(([configuration, outcomes]) => ({
        name: `a build for ${configuration}, under a strict policy`,
        build: [`ng build --configuration ${configuration}`],
        folder: "dist/browser",
        ...outcomes,
      })),
    ],
  },
  rollup: {
    title: "Rollup 4",
    installs: { "@rollup/plugin-node-resolve": "16.0.3", "@rollup/plugin-url": "8.0.2", rollup: "4.68.7" },
    layers: ["page", "lost-file", "rollup"],
    runs: [
      { name: "the default entry", build: ["rollup -c"], folder: "dist", inPage: lost, inWorker: lost },
      ...withoutLostFile,
    ],
  },
  esbuild: {
    title: "esbuild 0.28",
    installs: { esbuild: "0.28.2" },
    layers: ["page", "lost-file", "process", "esbuild"],
    inFullTier: true,
    runs: [
      {
        name: "the default entry",
        build: ["esbuild main.js inline.js separate.js --bundle --format=esm --outdir=dist --loader:.wasm=file"],
        folder: "dist",
        inPage: lost,
        inWorker: lost,
      },
      ...withoutLostFile,
      { ...inlinePage, name: "inline, as a classic script", build: ["esbuild inline.js --bundle --outdir=dist"] },
      {
        name: "CommonJS for Node",
        build: ["esbuild server.js --bundle --platform=node --outfile=dist/server.cjs"],
        command: "node dist/server.cjs",
      },
    ],
  },
  parcel: {
    title: "Parcel 2",
    installs: { parcel: "2.16.4" },
    layers: ["page"],
    runs: [
      {
        name: "the development server",
        serve: "parcel serve index.html --port {port} --dist-dir served",
        inOwnWorker: works,
      },
      {
        name: "a build",
        build: ["parcel build index.html --public-url ./"],
        folder: "dist",
        hasInlineScripts: true,
        inOwnWorker: works,
      },
    ],
  },
  next: {
    title: "Next 16",
    installs: { next: "16.4.6", react: "19.3.1", "react-dom": "19.3.1" },
    inFullTier: true,
    runs: ["--turbopack", "--webpack"].flatMap((builder) => {
      const nextDev = `next dev ${builder} -H 127.0.0.1 -p {port}`;
      return [
        { name: `a page of a build with ${builder}`, build: [`next build ${builder}`], serve: nextStart },
        { name: `a route of a build with ${builder}`, serve: nextStart, respondsAt: "findings" },
        { name: `a page of the development server with ${builder}`, serve: nextDev },
        { name: `a route of the development server with ${builder}`, serve: nextDev, respondsAt: "findings" },
      ];
    }),
  },
  "next-cache-components": {
    title: "Next 16 with `cacheComponents`",
    installs: { next: "16.4.6", react: "19.3.1", "react-dom": "19.3.1" },
    runs: [
      { name: "the recipe, in a build", build: ["next build"], serve: nextStart, page: "groups", shows: "Größe: 4" },
    ],
  },
  "react-router": {
    title: "React Router 8",
    installs: {
      "@react-router/dev": "8.4.0",
      "@react-router/node": "8.4.0",
      "@react-router/serve": "8.4.0",
      isbot: "5.2.3",
      react: "19.3.1",
      "react-dom": "19.3.1",
      "react-router": "8.4.0",
      vite: "8.3.8",
    },
    runs: pagesAndRoutes({
      dev: "react-router dev --host 127.0.0.1 --port {port}",
      build: "react-router build",
      start: "react-router-serve build/server/index.js",
    }),
  },
  sveltekit: {
    title: "SvelteKit 3",
    installs: {
      "@sveltejs/adapter-node": "6.0.1",
      "@sveltejs/kit": "3.2.0",
      "@sveltejs/vite-plugin-svelte": "7.3.1",
      svelte: "5.57.3",
      vite: "8.3.8",
    },
    runs: pagesAndRoutes({ dev: viteDev, build: "vite build", start: vitePreview }),
  },
  astro: {
    title: "Astro 7",
    installs: { astro: "7.3.5" },
    runs: [
      { name: "the development server", serve: "astro dev --host 127.0.0.1 --port {port}" },
      { name: "a build", build: ["astro build"], serve: "astro preview --host 127.0.0.1 --port {port}" },
    ],
  },
  nuxt: {
    title: "Nuxt 4",
    installs: { nuxt: "4.5.2", wrangler: "4.164.0" },
    runs: [
      { name: "a page of the development server", serve: "nuxt dev --host 127.0.0.1 --port {port}" },
      { name: "a page of a build", build: ["nuxt build"], serve: "node .output/server/index.mjs" },
      { name: "a route of a build", serve: "node .output/server/index.mjs", respondsAt: "findings" },
      {
        name: "a route of a build for Cloudflare",
        build: ["nuxt build --preset cloudflare_module"],
        serve:
          "wrangler dev .output/server/index.mjs --ip 127.0.0.1 --port {port} --var SERVICE:{service} --compatibility-date 2026-01-01 --compatibility-flags nodejs_compat",
        respondsAt: "findings",
      },
    ],
  },
  ...inNode("20.0", "20.0.0"),
  ...inNode("20", "20.20.2"),
  ...inNode("22", "22.23.3"),
  ...inNode("24", "24.21.0"),
  ...inNode("26", "26.10.0"),
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
      {
        name: "a page by the default entry, without --production",
        build: ["bun build main.js --outdir=dist"],
        folder: "dist",
        workerSource,
      },
      {
        name: "a page by the default entry, with --production",
        build: ["bun build --production main.js inline.js separate.js --outdir=dist"],
        folder: "dist",
        inPage: lost,
        inWorker: lost,
      },
      ...withoutLostFile,
    ],
  },
  workerd: {
    title: "workerd (wrangler 4)",
    installs: { wrangler: "4.164.0" },
    runs: [
      {
        name: "wrangler's development server",
        serve: "wrangler dev --ip 127.0.0.1 --port {port} --var SERVICE:{service}",
        respondsAt: "",
      },
    ],
  },
  "yarn-pnp": {
    title: "Yarn 4 with Plug'n'Play",
    installs: { "@yarnpkg/cli-dist": "4.18.1" },
    layers: ["page", "process", "yarn-pnp"],
    manager: "yarn add inspection-findings@file:{tarball} vite@8.3.8",
    runs: [
      { name: "a process", command: "yarn node retrieve.js" },
      { name: "a build by Vite", build: ["yarn vite build"], folder: "dist", inOwnWorker: works },
    ],
  },
  pnpm: {
    title: "pnpm 12",
    installs: { pnpm: "12.21.0" },
    layers: ["page", "process"],
    manager: "pnpm add {tarball} vite@8.3.8",
    runs: [
      { name: "a process", command: "node retrieve.js" },
      { name: "Vite's development server", serve: viteDev, inOwnWorker: works },
      { name: "a build by Vite", build: ["vite build"], folder: "dist", inOwnWorker: works },
    ],
  },
  jest: {
    title: "Jest 30",
    installs: {
      "@babel/core": "7.29.13",
      "@babel/preset-env": "7.29.14",
      "@babel/preset-typescript": "7.29.7",
      jest: "30.5.2",
      "jest-environment-jsdom": "30.5.2",
      "jest-fixed-jsdom": "0.0.11",
      msw: "2.9.0",
    },
    inFullTier: true,
    runs: [
      { name: "a test", command: jest("findings") },
      { name: "the fake service, by its fetch, in TypeScript", passes: jest("fake-service", "ts") },
      { name: "the fake service, by a handler of MSW 2", passes: jest("msw") },
      { name: "jsdom alone", passes: jest("jsdom") },
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
  vitest: {
    title: "Vitest 5",
    installs: { "happy-dom": "21.0.4", jsdom: "31.0.1", vitest: "5.1.1" },
    runs: [
      { name: "a test in Node", command: "vitest run" },
      { name: "a test in jsdom", command: "vitest run --environment jsdom" },
      { name: "a test in happy-dom", command: "vitest run --environment happy-dom" },
    ],
  },
};

/**
 * A version of Node.
 * @param {string} version as the table names it
 * @param {string} node its release
 * @returns {Record<string, Project>}
 */
function inNode(version, node) {
  const inIt = (/** @type {string} */ script) => `node_modules/.bin/node ${script}`;
  const runs = [
    { name: "a process", command: inIt("retrieve.js") },
    // The `fetch` of Node 20.0 loses the body of a server that closes the connection right after it.
    ...(version === "20.0"
      ? []
      : [{ name: "a server that closes the connection after a body", passes: inIt("closing.js") }]),
    { name: "the command", passes: inIt("exporting.js") },
  ];
  const project = { title: `Node ${version}`, installs: { node }, layers: ["process", "node"], inFullTier: true, runs };
  return { [`node-${version}`]: project };
}

/**
 * A page and a route, of a framework's development server and of a build.
 * @param {{ dev: string, build: string, start: string }} commands
 * @returns {Run[]}
 */
function pagesAndRoutes({ dev, build, start }) {
  return [
    { name: "a page of the development server", serve: dev },
    { name: "a route of the development server", serve: dev, respondsAt: "findings" },
    { name: "a page of a build", build: [build], serve: start },
    { name: "a route of a build", serve: start, respondsAt: "findings" },
  ];
}

/**
 * The builds of webpack, and of Rspack, which has the same command line.
 * @param {string} command
 * @returns {Run[]}
 */
function runsOf(command) {
  return ["production", "development"].map((mode) => ({
    name: `a build for ${mode}, under a strict policy`,
    build: [`${command} build --entry ./main.js --mode ${mode} --devtool source-map -o dist`],
    folder: "dist",
    inOwnWorker: works,
    // The condition `development` has the script inlined; the project's own worker has a file.
    ...(mode === "development" && { workerSource: `'self' ${workerSource}` }),
  }));
}

/**
 * A build of the same pages with the entry `objects`, after the other runs.
 * @param {string} build
 * @returns {Run}
 */
function objectsRun(build) {
  return {
    name: "a build with the objects entry, under a strict policy",
    build: ["cp objects/main.js objects/own-worker.js .", build],
    folder: "dist",
    inOwnWorker: works,
  };
}

/**
 * The command that runs a test file in Jest.
 * @param {string} name
 * @param {string} [language]
 */
function jest(name, language = "js") {
  return `jest --runTestsByPath ${name}.test.${language}`;
}

/**
 * The same by the command of the guide, which lets Jest load ES modules as they are.
 * @param {string} command
 */
function untransformed(command) {
  return command.replace("jest", withModules.trim());
}
