// React Native's start defines it, by this package.
import "abort-controller/polyfill";
import { preload } from "inspection-findings";

preload().catch((error) => print(`${error.code}: ${error.message}`));
