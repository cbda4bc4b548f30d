// React Native's start defines it, by this package.
import "abort-controller/polyfill";
import { FindingsClient } from "inspection-findings";

new FindingsClient().preload().catch((error) => print(`${error.code}: ${error.message}`));
