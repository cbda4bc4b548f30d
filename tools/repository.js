/** The repository: where everything in it is. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that holds `package.json`. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** The generated package, as it is published. */
export const dist = inRepository("dist");

/** Everything else that is generated. */
export const target = inRepository("target");

/**
 * A path inside the repository.
 * @param {...string} names
 */
export function inRepository(...names) {
  return join(root, ...names);
}
