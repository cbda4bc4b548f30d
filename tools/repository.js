/** The paths of the repository. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with `package.json`. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** The folder of the built package. */
export const dist = inRepository("dist");

/** The folder of everything else that is generated. */
export const target = inRepository("target");

/** The program that generates the glue. */
export const glueTool = inRepository("target", "wasm-bindgen", "inspection-findings-glue");

/**
 * A path inside the repository.
 * @param {...string} names
 */
export function inRepository(...names) {
  return join(root, ...names);
}
