// The probe of the stack: whether enough of it is left for the module.

/**
 * The number of recursive calls of the probe, which give it eight frames of 9 KB. Firefox counts one of them until it has
 * optimised the probe, and needs 8 KB; other engines count all. Chromium needs 44 KB, because the first call of any function,
 * such as one of the glue, requires 40 KB.
 */
const CALLS = 7;

/**
 * The number of 16-byte values in a frame of the probe. More of them take disproportionately long to compile, twice: Chromium optimises the
 * probe during the first calls of a page. With more than 960, its module would also exceed 4 KB, the most that every host compiles synchronously.
 */
const VALUES = 576;

type Probe = (calls: number) => number;

let probe: Probe | undefined;

/**
 * Creates the probe, once for all instances. Takes about a millisecond. A host that runs only the modules that a script imports, such as
 * workerd, has no probe: there an exhausted stack stops the instance, and the next call starts another.
 */
export function watchStack(): void {
  if (probe !== undefined) return;
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(probeModule()), { "": { "": Math.random } });
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
 * branch that is never taken needs many values at the same time, and a function is entered only if its whole frame fits.
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
  // An operation that engines do not reorder; another order would need fewer values at the same time.
  const swizzle = [0xfd, 0x0e];
  const firstLane = [0xfd, 0x15, 0];
  const calls = callImport.length * VALUES;
  const swizzles = swizzle.length * (VALUES - 1);
  const begin = [
    ...[0, ...isPositive, ...ifElse, ...callItselfWithOneLess, otherwise],
    ...[...getParameter, ...ifElse],
  ];
  const rest = [...firstLane, otherwise, ...zero, end, end, end];
  const bodyLength = begin.length + calls + swizzles + rest.length;
  const before = [
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [2, 0x60, 0, 1, vector, 0x60, 1, integer, 1, integer]),
    ...section(2, [1, 0, 0, 0, 0]),
    ...section(3, [1, 1]),
    ...section(7, [1, 5, ...new TextEncoder().encode("probe"), 0, 1]),
    ...[10, ...size(1 + 2 + bodyLength), 1, ...size(bodyLength), ...begin],
  ];
  const module = new Uint8Array(before.length + calls + swizzles + rest.length);
  module.set(before);
  repeat(callImport, module.subarray(before.length, before.length + calls));
  repeat(swizzle, module.subarray(before.length + calls, -rest.length));
  module.set(rest, module.length - rest.length);
  return module;
}

function section(id: number, content: number[]): number[] {
  return [id, ...size(content.length), ...content];
}

/** Encodes a size below 16 384 as LEB128. */
function size(bytes: number): number[] {
  return [(bytes & 0x7f) | 0x80, bytes >>> 7];
}

/** Fills `bytes` with an instruction. Copying is native: the page's first call waits for this, in code that nothing has compiled yet. */
function repeat(instruction: number[], bytes: Uint8Array): void {
  bytes.set(instruction);
  for (let done = instruction.length; done < bytes.length; done *= 2) bytes.copyWithin(done, 0, done);
}
