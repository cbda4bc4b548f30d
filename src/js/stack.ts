// The stack: whether the caller has left enough of it for the module.

/**
 * How often the probe calls itself. It then has five frames of 15 KB, of which Firefox counts one until it has optimised the probe, and needs 8 KB;
 * the others count all. Chromium needs 44 KB, because it wants 40 to be left whenever a function, such as one of the glue, is called for the
 * first time.
 */
const CALLS = 4;

/** Values of 16 bytes that a frame of the probe has room for. With more, its module would exceed the 4 KB that every host compiles at once. */
const VALUES = 960;

type Probe = (calls: number) => number;

let probe: Probe | undefined;

/** Makes the probe, once for all instances. Takes a few milliseconds. */
export function watchStack(): void {
  if (probe !== undefined) return;
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(probeModule()), { "": { "": Math.random } });
  probe = exports.probe as Probe;
}

/**
 * Throws the host's own error for an exhausted stack unless enough of it is left for any call of the module. One that began all the same
 * would be cut short somewhere inside, where nothing is cleaned up. Takes some twenty nanoseconds.
 */
export function needStack(): void {
  probe?.(CALLS);
}

/**
 * A module whose function `probe` calls itself as often as its parameter says and does nothing else. Its frames are large, because a branch that is never taken
 * needs many values at the same time, and a function is entered only if there is room for its whole frame.
 */
function probeModule(): Uint8Array<ArrayBuffer> {
  const [integer, vector] = [0x7f, 0x7b];
  const [ifElse, otherwise, end] = [[0x04, integer], 0x05, 0x0b];
  const [getParameter, zero] = [
    [0x20, 0],
    [0x41, 0],
  ];
  const callImport = [0x10, 0];
  const callItselfWithOneLess = [...getParameter, 0x41, 1, 0x6b, 0x10, 1];
  const isPositive = [...getParameter, ...zero, 0x4a];
  // Not to be calculated in another order, by which fewer values would be needed at the same time.
  const swizzle = [0xfd, 0x0e];
  const firstLane = [0xfd, 0x15, 0];
  const neverTaken = [...repeated(callImport, VALUES), ...repeated(swizzle, VALUES - 1), ...firstLane];
  const body = [
    ...[0, ...isPositive, ...ifElse, ...callItselfWithOneLess, otherwise],
    ...[...getParameter, ...ifElse, ...neverTaken, otherwise, ...zero, end, end, end],
  ];
  return new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [2, 0x60, 0, 1, vector, 0x60, 1, integer, 1, integer]),
    ...section(2, [1, 0, 0, 0, 0]),
    ...section(3, [1, 1]),
    ...section(7, [1, 5, ...new TextEncoder().encode("probe"), 0, 1]),
    ...section(10, [1, ...size(body.length), ...body]),
  ]);
}

function section(id: number, content: number[]): number[] {
  return [id, ...size(content.length), ...content];
}

/** A size below 16 384, as WebAssembly writes it. */
function size(bytes: number): number[] {
  return [(bytes & 0x7f) | 0x80, bytes >>> 7];
}

function repeated(bytes: number[], times: number): number[] {
  return Array.from({ length: times }, () => bytes).flat();
}
