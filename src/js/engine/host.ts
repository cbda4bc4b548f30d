// What Rust asks the host for. No entry throws, because an error would stop WebAssembly and every call with it: a page
// may lack a global, or have replaced it.

export { date, now, random } from "../host/clock.js";
export { isOffline } from "../host/offline.js";
export { yieldNow } from "../host/yield_now.js";
