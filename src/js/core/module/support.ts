// Whether the host supports the features of WebAssembly that the package needs.

/** A module that uses each feature once: two results, a table of references, `memory.fill`, `i8x16.splat`, and so on. */
const EVERY_FEATURE = "AGFzbQEAAAABBwFgAX0Ce38DAgEABAQBbwABBQMBAAEKFgEUAEEAQQBBAPwLAEEA/Q8gAPwAwAs=";

/** Whether the host has all of them, as far as a policy lets us find out. Checked only after a load has failed. */
export function isSupported(): boolean {
  if (typeof WebAssembly !== "object") return false;
  try {
    return WebAssembly.validate(Uint8Array.from(atob(EVERY_FEATURE), (character) => character.charCodeAt(0)));
  } catch {
    return true;
  }
}
