// A seeded generator of random numbers: the same seeds give the same numbers in every engine.

export class Random {
  #state: number;

  constructor(...seeds: (string | number)[]) {
    this.#state = hash(seeds.join("\u0000"));
  }

  /** Returns a number from 0 up to, but not including, 1. */
  next(): number {
    // Mulberry32: a state of 32 bits, which is enough for invented text.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** Returns an integer in a range, including both ends. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns one of the items, each equally likely. */
  oneOf<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)] as Item;
  }

  /** Returns some of the items, none twice, in random order. */
  someOf<Item>(items: readonly Item[], count: number): Item[] {
    const rest = [...items];
    const some: Item[] = [];
    while (some.length < count && rest.length > 0) {
      const index = this.integer(0, rest.length - 1);
      some.push(rest[index] as Item);
      rest.copyWithin(index, index + 1).pop();
    }
    return some;
  }
}

/** FNV-1a over the UTF-16 code units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value;
}
