/** The resources of the page, watched from its beginning. */

import { watchResources } from "./resources.js";

export const resources = watchResources();
