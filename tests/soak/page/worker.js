/** The worker of the soak test: the package's, under control. */

import "inspection-findings/worker.js";
import { takeControl } from "./worker-control.js";

takeControl();
