/** A seeded generator of random numbers: the same seeds give the same numbers in every engine. */

export class Random {
  #state;

  /** @param {(string | number)[]} seeds */
  constructor(...seeds) {
    this.#state = hash(seeds.join("\u0000"));
  }

  /** A number from 0 up to, but not including, 1. */
  next() {
    // Mulberry32: a state of 32 bits, which is enough for generated text.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /**
   * An integer in a range, including both ends.
   * @param {number} least
   * @param {number} most
   */
  integer(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** @param {number} probability */
  chance(probability) {
    return this.next() < probability;
  }

  /**
   * One of the items, each equally likely.
   * @template Item
   * @param {readonly Item[]} items
   * @returns {Item}
   */
  oneOf(items) {
    return items[this.integer(0, items.length - 1)];
  }

  /**
   * Some of the items, none twice, in random order.
   * @template Item
   * @param {readonly Item[]} items
   * @param {number} count
   * @returns {Item[]}
   */
  someOf(items, count) {
    const rest = [...items];
    const some = [];
    while (some.length < count && rest.length > 0) {
      const index = this.integer(0, rest.length - 1);
      some.push(rest[index]);
      rest.copyWithin(index, index + 1).pop();
    }
    return some;
  }
}

/**
 * FNV-1a over the UTF-16 code units.
 * @param {string} text
 */
function hash(text) {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value;
}
