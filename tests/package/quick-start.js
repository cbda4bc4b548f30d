/** The README's quick start: its files for an empty project, and what each prints first. */

import { section } from "../../tools/docs/pages.ts";
import { blocksOf } from "../docs/documents.js";

const [withoutService, withService] = blocksOf(section("Quick start"), "README.md").map(({ code }) => code);

export const quickStart = {
  runs: {
    "as pasted": { file: "first.js", prints: /^Delivery: 332 of 437 are negative$/m },
    "with a real service": { file: "real.js", prints: /^7 /m },
  },
  /** @param {string} baseUrl of the real service */
  files: (baseUrl) => ({
    "first.js": withoutService,
    "real.js": withService.replace("https://service.example/cxi/", baseUrl),
  }),
};
