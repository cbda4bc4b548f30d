/** The README's first code and that for a real service: their files for an empty project, and what each prints first. */

import { section } from "../../../tools/docs/pages.ts";
import { blocksOf } from "../../docs/documents.js";

const [withoutService, withService] = ["Quick start", "A real service"].map(
  (heading) => blocksOf(section(heading), "README.md").find(({ language }) => language === "js")?.code ?? "",
);

export const quickStart = {
  runs: {
    "as pasted": { file: "first.js", prints: /^83 findings in the first of 3 partitions, 250 in all$/m },
    "with a real service": { file: "real.js", prints: /^7 /m },
  },
  /** @param {string} baseUrl of the real service */
  files: (baseUrl) => ({
    "first.js": withoutService,
    "real.js": withService.replace("https://service.example/cxi/", baseUrl),
  }),
};
