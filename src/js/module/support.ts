// Whether the host supports the features that the package needs.

/** For messages: the required features and the oldest supported browsers. */
export const NEEDS =
  "WebAssembly with SIMD, bulk memory, multiple values, reference types, conversions without traps and sign extension, as since " +
  "Chrome 96, Edge 96, Firefox 93 and Safari 16.4";

/** Whether the host has WebAssembly with all required features. Checked only after a load has failed. */
export function isSupported(): boolean {
  try {
    return typeof WebAssembly === "object" && WebAssembly.validate(everyFeature());
  } catch {
    // The page's policy forbids WebAssembly, so the answer is unknown.
    return true;
  }
}

/** Whether the host has `TextEncoder` and `TextDecoder`, as every browser has. Checked only after a load has failed. */
export function hasTextClasses(): boolean {
  return typeof TextEncoder === "function" && typeof TextDecoder === "function";
}

/** Assembles a module that uses each feature once. */
function everyFeature(): Uint8Array<ArrayBuffer> {
  const [i32, f32, v128, externref] = [0x7f, 0x7d, 0x7b, 0x6f];
  const zero = [0x41, 0];
  const fillMemory = [...zero, ...zero, ...zero, 0xfc, 0x0b, 0];
  const splat = [...zero, 0xfd, 0x0f];
  const truncated = [0x20, 0, 0xfc, 0x00];
  const signExtended = 0xc0;
  const body = [0, ...fillMemory, ...splat, ...truncated, signExtended, 0x0b];
  return new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // A function with a number as parameter and two results, a table of references, and a memory.
    ...[1, 7, 1, 0x60, 1, f32, 2, v128, i32],
    ...[3, 2, 1, 0],
    ...[4, 4, 1, externref, 0, 1],
    ...[5, 3, 1, 0, 1],
    ...[10, body.length + 2, 1, body.length, ...body],
  ]);
}
