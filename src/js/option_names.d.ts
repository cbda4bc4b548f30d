// The names of the options, which the build reads from the module.

import type { Options } from "./inspection_findings.js";

export declare const OPTION_NAMES: readonly (keyof Options)[];
