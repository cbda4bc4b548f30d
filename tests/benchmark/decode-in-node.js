/** The process that decodes the bodies of one corpus in Node. */

import process from "node:process";
import { decode } from "./page/decoding.js";

process.send?.(await decode(JSON.parse(process.argv[2])));
process.disconnect();
