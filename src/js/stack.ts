// The probe of the stack: whether enough of it is left for the module.

/**
 * The number of recursive calls of the probe, which give it eight frames of 9 KB. Firefox counts one of them until it has
 * optimised the probe, and needs 8 KB; other engines count all. Chromium needs 44 KB, because the first call of any function,
 * such as one of the glue, requires 40 KB.
 */
const CALLS = 7;

/** The number of 16-byte values that one function of the probe's module gives and another one takes. Few, because each takes time to compile. */
const WIDTH = 4;

/**
 * How often they are given before they are taken: all of them are in a frame of the probe. Fewer calls of wider functions would take the same
 * time to compile, but make a body of less than 500 bytes, several calls of which Chromium puts into one frame.
 */
const TIMES = 144;

type Probe = (calls: number) => number;

let probe: Probe | undefined;

/**
 * Creates the probe, once for all instances. Takes about half a millisecond. A host that runs only the modules that a script imports, such as
 * workerd, has no probe: there an exhausted stack stops the instance, and the next call starts another.
 */
export function watchStack(): void {
  if (probe !== undefined) return;
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(probeModule()));
    probe = exports.probe as Probe;
  } catch (cause) {
    if (!(cause instanceof WebAssembly.CompileError)) throw cause;
  }
}

/**
 * Checks that enough of the stack is left for any call of the module. Otherwise an exhausted stack could interrupt a call inside
 * the module, where nothing is cleaned up. Takes about thirty nanoseconds.
 *
 * @throws the host's own error for an exhausted stack
 */
export function needStack(): void {
  probe?.(CALLS);
}

/**
 * Assembles a module whose function `probe` only calls itself, as often as its parameter says. Its frames are large because a
 * branch that is never taken needs many values at the same time, and a function is entered only if its whole frame fits. They come from
 * calls, whose order engines keep. The called functions, `give` and `take`, only call themselves: they are never entered.
 */
function probeModule(): Uint8Array<ArrayBuffer> {
  const [integer, vector] = [0x7f, 0x7b];
  const values = Array<number>(WIDTH).fill(vector);
  const [callGive, callTake, callProbe] = [
    [0x10, 0],
    [0x10, 1],
    [0x10, 2],
  ];
  const needValues = [callGive, callTake].flatMap((call) => Array<number[]>(TIMES).fill(call).flat());
  const [getParameter, zero] = [
    [0x20, 0],
    [0x41, 0],
  ];
  const [ifElse, otherwise, end] = [0x04, 0x05, 0x0b];
  const probe = [
    ...[0, ...getParameter, ...zero, 0x4a, ifElse, integer, ...getParameter, 0x41, 1, 0x6b, ...callProbe, otherwise],
    ...[...getParameter, ifElse, 0x40, ...needValues, end, ...zero, end, end],
  ];
  const give = [0, ...callGive, end];
  const take = [0, ...values.flatMap((_, index) => [0x20, index]), ...callTake, end];
  const functions = [3, give.length, ...give, take.length, ...take, ...size(probe.length), ...probe];
  return new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // The types of the three functions, and the functions.
    ...[1, 12 + 2 * WIDTH, 3, 0x60, 0, WIDTH, ...values, 0x60, WIDTH, ...values, 0, 0x60, 1, integer, 1, integer],
    ...[3, 4, 3, 0, 1, 2],
    ...[7, 9, 1, 5, ...new TextEncoder().encode("probe"), 0, 2],
    ...[10, ...size(functions.length), ...functions],
  ]);
}

/** Encodes a size below 16 384 as LEB128. */
function size(bytes: number): number[] {
  return [(bytes & 0x7f) | 0x80, bytes >>> 7];
}
