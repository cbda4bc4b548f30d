/** The worker of the soak test: the package's, which finds the service in the place of the global `fetch`. */

import "inspection-findings/worker.js";
import { startService } from "./worker-service.js";

startService();
