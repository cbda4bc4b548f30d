// Decompression of DEFLATE (RFC 1951), for hosts without `DecompressionStream`. Unchecked, because the data is part of
// the package.

/** The order of the code length codes in a block with dynamic codes (RFC 1951, section 3.2.7). */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** The longest code, in bits. */
const LONGEST = 15;

/** A canonical Huffman code: the number of codes of each length, and the symbols in the order of their codes. */
interface Code {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

/** For each length or distance symbol: its base value and its number of extra bits. */
const LENGTHS = ranges(28, 3, (symbol) => (symbol < 8 ? 0 : (symbol >> 2) - 1));
const DISTANCES = ranges(30, 1, (symbol) => (symbol < 4 ? 0 : (symbol >> 1) - 1));
/** The longest match, whose symbol has no extra bits. */
LENGTHS.push([258, 0]);

/** Decompresses data to a known length in bytes. */
export function inflate(source: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const target = new Uint8Array(length);
  let [from, to] = [0, 0];
  let [bits, count] = [0, 0];

  function take(wanted: number): number {
    while (count < wanted) {
      bits |= (source[from++] as number) << count;
      count += 8;
    }
    const value = bits & ((1 << wanted) - 1);
    bits >>>= wanted;
    count -= wanted;
    return value;
  }

  function symbolOf({ counts, symbols }: Code): number {
    let [code, first, index] = [0, 0, 0];
    for (let size = 1; size <= LONGEST; size++) {
      code |= take(1);
      const ofSize = counts[size] as number;
      if (code - first < ofSize) return symbols[index + code - first] as number;
      index += ofSize;
      first = (first + ofSize) << 1;
      code <<= 1;
    }
    throw new RangeError("the data are not compressed by DEFLATE");
  }

  function valueIn(range: (readonly [number, number])[], symbol: number): number {
    const [least, further] = range[symbol] as [number, number];
    return least + take(further);
  }

  function stored(): void {
    [bits, count] = [0, 0];
    const size = (source[from] as number) | ((source[from + 1] as number) << 8);
    from += 4;
    target.set(source.subarray(from, from + size), to);
    from += size;
    to += size;
  }

  function compressed([literals, distances]: [Code, Code]): void {
    for (let symbol = symbolOf(literals); symbol !== 256; symbol = symbolOf(literals)) {
      if (symbol < 256) {
        target[to++] = symbol;
        continue;
      }
      const end = to + valueIn(LENGTHS, symbol - 257);
      const distance = valueIn(DISTANCES, symbolOf(distances));
      // Byte by byte, because a match may repeat what it copies.
      for (; to < end; to++) target[to] = target[to - distance] as number;
    }
  }

  function ownCodes(): [Code, Code] {
    const [literals, distances, sizes] = [take(5) + 257, take(5) + 1, take(4) + 4];
    const ofLengths = new Array<number>(19).fill(0);
    for (const symbol of ORDER.slice(0, sizes)) ofLengths[symbol] = take(3);
    const code = codeOf(ofLengths);
    const lengths: number[] = [];
    while (lengths.length < literals + distances) {
      const symbol = symbolOf(code);
      if (symbol < 16) lengths.push(symbol);
      else if (symbol === 16) lengths.push(...repeated(lengths.at(-1) as number, 3 + take(2)));
      else lengths.push(...repeated(0, symbol === 17 ? 3 + take(3) : 11 + take(7)));
    }
    return [codeOf(lengths.slice(0, literals)), codeOf(lengths.slice(literals))];
  }

  for (let isLast = false; !isLast; ) {
    isLast = take(1) === 1;
    const kind = take(2);
    if (kind === 0) stored();
    else compressed(kind === 1 ? fixedCodes() : ownCodes());
  }
  return target;
}

/** Makes the canonical code in which each symbol has this length; 0 for none. */
function codeOf(lengths: number[]): Code {
  const counts = new Uint16Array(LONGEST + 1);
  for (const length of lengths) if (length > 0) counts[length] = (counts[length] as number) + 1;
  const symbols = Array.from(lengths.keys()).filter((symbol) => lengths[symbol] !== 0);
  symbols.sort((one, other) => (lengths[one] as number) - (lengths[other] as number) || one - other);
  return { counts, symbols: Uint16Array.from(symbols) };
}

function fixedCodes(): [Code, Code] {
  const literals = [...repeated(8, 144), ...repeated(9, 112), ...repeated(7, 24), ...repeated(8, 8)];
  return [codeOf(literals), codeOf(repeated(5, 30))];
}

function ranges(count: number, least: number, further: (symbol: number) => number): [number, number][] {
  let next = least;
  return Array.from({ length: count }, (_, symbol) => {
    const range: [number, number] = [next, further(symbol)];
    next += 1 << range[1];
    return range;
  });
}

function repeated(value: number, times: number): number[] {
  return new Array<number>(times).fill(value);
}
