/** All tests by Vitest, so that `npx vitest run FILE`, its watch mode and an editor find each in its project. */

import { defineConfig } from "vitest/config";

export default defineConfig({ test: { projects: ["tests/*/vitest.config.js", "tests/*/*/vitest.config.js"] } });
