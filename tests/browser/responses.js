/** Odd responses of a `fetch`, made from recipes that a test can print. */

import fc from "fast-check";
import { oddities, throwing } from "./oddities.js";

/**
 * The recipe of a response: each word is one of those below or the name of an oddity.
 * @typedef {object} Recipe
 * @property {string} given
 * @property {string} status
 * @property {string} headers
 * @property {string} body
 * @property {string[]} pieces
 * @property {string} end
 * @property {string} read
 * @property {string} buffer
 */

const oddity = fc.constantFrom(...Object.keys(oddities));

/**
 * Chooses one of these words more often than an oddity.
 * @param {...string} words
 */
function mostly(...words) {
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: oddity });
}

const statuses = ["200", "200", "200", "200", "204", "401", "403", "404", "429", "500", "302", "0", "999"];

/** @type {fc.Arbitrary<Recipe>} */
export const recipes = fc.record({
  given: mostly("itself", "a promise", "a promise", "a thenable", "a throw", "a rejection"),
  status: mostly(...statuses, "a throw"),
  headers: mostly("none", "real", "odd values", "a throw", "get throws", "a length beyond all memory", "a late retry"),
  body: mostly(
    ...["a reader", "a reader", "a stream", "a stream", "null", "null", "a throw", "a locked stream", "a byte stream"],
    ...["a stream that is closed", "a stream that is cancelled", "getReader throws", "getReader gives an oddity"],
  ),
  pieces: fc.array(mostly("half of it", "half of it", "all of it"), { maxLength: 4 }),
  end: mostly("done", "done", "a throw", "a rejection", "never", "endless pieces, never"),
  read: mostly("a promise", "a promise", "itself", "a thenable", "cancel throws", "cancel rejects", "cancel is odd"),
  buffer: mostly("all of it", "all of it", "absent", "a throw", "a rejection"),
});

/**
 * Whether a response by this recipe may never end.
 * @param {Recipe} recipe
 */
export function mayNeverEnd(recipe) {
  return /never/.test(JSON.stringify(recipe));
}

/**
 * Makes the response of a recipe, with this text as its body.
 * @param {Recipe} recipe
 * @param {string} text
 */
export function responseBy(recipe, text) {
  const bytes = new TextEncoder().encode(text);
  return wrapped(recipe.given, () =>
    withGetters({
      status: () => (recipe.status in oddities ? odd(recipe.status) : number(recipe.status)),
      headers: () => headersBy(recipe.headers),
      body: () => bodyBy(recipe, bytes),
      ...(recipe.buffer === "absent" ? {} : { arrayBuffer: () => () => bufferBy(recipe.buffer, bytes) }),
    }),
  );
}

/** @param {string} name */
function odd(name) {
  return oddities[name]?.();
}

/**
 * Does what a word stands for, or makes the oddity of that name.
 * @param {string} word
 * @param {Record<string, () => unknown>} ways
 * @returns {any}
 */
function made(word, ways) {
  return (ways[word] ?? (() => odd(word)))();
}

const rejecting = () => Promise.reject(odd("an error"));

/** @param {string} word */
function number(word) {
  return word === "a throw" ? throwing() : Number(word);
}

/**
 * @param {string} way
 * @param {() => unknown} make
 */
function wrapped(way, make) {
  return made(way, {
    itself: make,
    "a promise": () => Promise.resolve(make()),
    // biome-ignore lint/suspicious/noThenProperty: that it is one is the point
    "a thenable": () => ({ then: (/** @type {any} */ fulfil) => fulfil(make()) }),
    "a throw": throwing,
    "a rejection": rejecting,
  });
}

/** @param {Record<string, () => unknown>} getters */
function withGetters(getters) {
  const object = {};
  for (const [name, get] of Object.entries(getters)) {
    Object.defineProperty(object, name, { get });
  }
  return object;
}

/** @param {string} word */
function headersBy(word) {
  return made(word, {
    none: () => undefined,
    real: () => new Headers({ "content-length": "7", "retry-after": "0" }),
    "odd values": () => ({ get: () => odd("an untouchable") }),
    "a throw": throwing,
    "get throws": () => ({ get: throwing }),
    "a length beyond all memory": () => new Map([["content-length", "9".repeat(15)]]),
    "a late retry": () => new Map([["retry-after", "9".repeat(9)]]),
  });
}

/**
 * @param {Recipe} recipe
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function bodyBy(recipe, bytes) {
  const stream = () => streamOf(recipe, bytes);
  return made(recipe.body, {
    "a reader": () => ({ getReader: () => readerBy(recipe, bytes) }),
    "a stream": stream,
    null: () => null,
    "a throw": throwing,
    "a locked stream": () => {
      const locked = stream();
      locked.getReader();
      return locked;
    },
    "a byte stream": () => new ReadableStream({ type: "bytes", pull: (controller) => pullBytes(controller, bytes) }),
    "a stream that is closed": () => new ReadableStream({ start: (controller) => controller.close() }),
    "a stream that is cancelled": () => {
      const cancelled = stream();
      cancelled.cancel().catch(() => {});
      return cancelled;
    },
    "getReader throws": () => ({ getReader: throwing }),
    "getReader gives an oddity": () => ({ getReader: () => odd(recipe.read) }),
  });
}

/**
 * @param {ReadableByteStreamController} controller
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function pullBytes(controller, bytes) {
  controller.enqueue(bytes.slice());
  controller.close();
}

/**
 * @param {Recipe} recipe
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function streamOf(recipe, bytes) {
  const pieces = piecesBy(recipe, bytes);
  return new ReadableStream(
    {
      pull(controller) {
        const { done, value } = pieces.next();
        if (!done) {
          controller.enqueue(value);
        } else if (recipe.end in oddities) {
          controller.error(odd(recipe.end));
        } else {
          return endBy(recipe.end, () => controller.close());
        }
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * @param {Recipe} recipe
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function readerBy(recipe, bytes) {
  const pieces = piecesBy(recipe, bytes);
  const read = () => {
    const { done, value } = pieces.next();
    return done ? (endBy(recipe.end, () => {}) ?? { done: true }) : { done: false, value };
  };
  /** @type {Record<string, () => unknown>} */
  const ways = {
    "cancel throws": throwing,
    "cancel rejects": rejecting,
    "cancel is odd": () => odd("a promise without a constructor"),
  };
  const cancel = ways[recipe.read] ?? (() => undefined);
  const way = recipe.read in ways ? "a promise" : recipe.read;
  return { read: () => (way === "a promise" ? new Promise((fulfil) => fulfil(read())) : wrapped(way, read)), cancel };
}

/**
 * @param {Recipe} recipe
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function* piecesBy({ pieces, end }, bytes) {
  const middle = bytes.length >> 1;
  let half = 0;
  for (const piece of pieces) {
    if (piece === "all of it") {
      yield bytes.slice();
    } else if (piece === "half of it") {
      yield half++ % 2 === 0 ? bytes.slice(0, middle) : bytes.slice(middle);
    } else {
      yield odd(piece);
    }
  }
  while (end === "endless pieces, never") {
    yield new Uint8Array();
  }
}

/**
 * @param {string} word
 * @param {() => void} close
 * @returns {any}
 */
function endBy(word, close) {
  return made(word, {
    done: close,
    "endless pieces, never": close,
    "a throw": throwing,
    "a rejection": rejecting,
    never: () => new Promise(() => {}),
  });
}

/**
 * @param {string} word
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function bufferBy(word, bytes) {
  return made(word, { "all of it": () => bytes.slice().buffer, "a throw": throwing, "a rejection": rejecting });
}
