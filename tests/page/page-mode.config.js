/** The configuration of the tests of the public interface whose bodies the page decodes. */

import { configOf } from "./worker-mode.config.js";

export default configOf("page");
