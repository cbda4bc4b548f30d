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

/** @param {string} word */
function number(word) {
  return word === "a throw" ? throwing() : Number(word);
}

/**
 * @param {string} way
 * @param {() => unknown} make
 */
function wrapped(way, make) {
  switch (way) {
    case "itself":
      return make();
    case "a promise":
      return Promise.resolve(make());
    case "a thenable":
      // biome-ignore lint/suspicious/noThenProperty: that it is one is the point
      return { then: (/** @type {any} */ fulfil) => fulfil(make()) };
    case "a throw":
      return throwing();
    case "a rejection":
      return Promise.reject(odd("an error"));
    default:
      return odd(way);
  }
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
  switch (word) {
    case "none":
      return undefined;
    case "real":
      return new Headers({ "content-length": "7", "retry-after": "0" });
    case "odd values":
      return { get: () => odd("an untouchable") };
    case "a throw":
      return throwing();
    case "get throws":
      return { get: throwing };
    case "a length beyond all memory":
      return new Map([["content-length", "9".repeat(15)]]);
    case "a late retry":
      return new Map([["retry-after", "9".repeat(9)]]);
    default:
      return odd(word);
  }
}

/**
 * @param {Recipe} recipe
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function bodyBy(recipe, bytes) {
  const stream = () => streamOf(recipe, bytes);
  switch (recipe.body) {
    case "a reader":
      return { getReader: () => readerBy(recipe, bytes) };
    case "a stream":
      return stream();
    case "null":
      return null;
    case "a throw":
      return throwing();
    case "a locked stream": {
      const locked = stream();
      locked.getReader();
      return locked;
    }
    case "a byte stream":
      return new ReadableStream({ type: "bytes", pull: (controller) => pullBytes(controller, bytes) });
    case "a stream that is closed":
      return new ReadableStream({ start: (controller) => controller.close() });
    case "a stream that is cancelled": {
      const cancelled = stream();
      cancelled.cancel().catch(() => {});
      return cancelled;
    }
    case "getReader throws":
      return { getReader: throwing };
    case "getReader gives an oddity":
      return { getReader: () => odd(recipe.read) };
    default:
      return odd(recipe.body);
  }
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
    "cancel rejects": () => Promise.reject(odd("an error")),
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
  switch (word) {
    case "done":
    case "endless pieces, never":
      return close();
    case "a throw":
      return throwing();
    case "a rejection":
      return Promise.reject(odd("an error"));
    case "never":
      return new Promise(() => {});
    default:
      return odd(word);
  }
}

/**
 * @param {string} word
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function bufferBy(word, bytes) {
  switch (word) {
    case "all of it":
      return bytes.slice().buffer;
    case "a throw":
      return throwing();
    case "a rejection":
      return Promise.reject(odd("an error"));
    default:
      return odd(word);
  }
}
