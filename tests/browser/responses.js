/** Odd responses of a `fetch`, made from recipes that a test can print. */

import fc from "fast-check";
import { oddities, throwing } from "./oddities.js";

const oddity = fc.constantFrom(...Object.keys(oddities));

/** Chooses one of these words more often than an oddity. @param {...string} words */
function mostly(...words) {
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: oddity });
}

const statuses = ["200", "200", "200", "204", "401", "403", "429", "500", "302", "0", "999"];

/** Recipes of responses: each word is one of those below or the name of an oddity. */
export const recipes = fc.record({
  given: mostly("itself", "a promise", "a promise", "a throw", "a rejection"),
  status: mostly(...statuses, "a throw"),
  headers: mostly("none", "real", "odd values", "a throw", "a length beyond all memory", "a late retry"),
  body: mostly("a reader", "a reader", "a stream", "a stream", "null", "a throw", "a locked stream"),
  pieces: fc.array(mostly("half of it", "half of it", "all of it"), { maxLength: 4 }),
  end: mostly("done", "done", "a throw", "a rejection", "never", "endless pieces, never"),
  read: mostly("a promise", "a promise", "itself", "cancel throws", "cancel rejects"),
  buffer: mostly("all of it", "all of it", "absent", "a throw", "a rejection"),
});

/** @typedef {typeof recipes extends fc.Arbitrary<infer Made> ? Made : never} Recipe */

/**
 * Makes the response of a recipe, with this text as its body.
 * @param {Recipe} recipe
 * @param {string} text
 */
export function responseBy(recipe, text) {
  const bytes = new TextEncoder().encode(text);
  const { given, status, headers, buffer } = recipe;
  /** @type {PropertyDescriptorMap} */
  const members = {
    status: { get: () => made(status, Object.fromEntries(statuses.map((code) => [code, () => Number(code)]))) },
    headers: { get: () => headersBy(headers) },
    body: { get: () => bodyBy(recipe, bytes) },
    ...(buffer !== "absent" && {
      arrayBuffer: { get: () => () => made(buffer, { "all of it": () => bytes.slice().buffer }) },
    }),
  };
  return made(
    given,
    waysToGive(() => Object.defineProperties({}, members)),
  );
}

/**
 * Does what a word stands for, or makes the oddity of that name.
 * @param {string} word
 * @param {Record<string, () => unknown>} ways
 * @returns {any}
 */
function made(word, ways) {
  return ({ "a throw": throwing, "a rejection": rejecting, ...ways }[word] ?? (() => oddities[word]?.()))();
}

const rejecting = () => Promise.reject(new Error("odd"));

/** @param {() => unknown} make */
const waysToGive = (make) => ({ itself: make, "a promise": () => new Promise((fulfil) => fulfil(make())) });

/** @param {string} word */
function headersBy(word) {
  return made(word, {
    none: () => undefined,
    real: () => new Headers({ "content-length": "7", "retry-after": "0" }),
    "odd values": () => ({ get: () => oddities["an untouchable"]() }),
    "a length beyond all memory": () => new Map([["content-length", "9".repeat(15)]]),
    "a late retry": () => new Map([["retry-after", "9".repeat(9)]]),
  });
}

/** @param {Recipe} recipe @param {Uint8Array<ArrayBuffer>} bytes */
function bodyBy(recipe, bytes) {
  const stream = () => streamOf(recipe, bytes);
  return made(recipe.body, {
    "a reader": () => ({ getReader: () => readerBy(recipe, bytes) }),
    "a stream": stream,
    null: () => null,
    "a locked stream": () => {
      const locked = stream();
      locked.getReader();
      return locked;
    },
  });
}

/** @param {Recipe} recipe @param {Uint8Array<ArrayBuffer>} bytes */
function streamOf(recipe, bytes) {
  const pieces = piecesBy(recipe, bytes);
  const pull = (/** @type {ReadableStreamDefaultController} */ controller) => {
    const { done, value } = pieces.next();
    if (!done) return controller.enqueue(value);
    if (recipe.end in oddities) return controller.error(oddities[recipe.end]());
    return endBy(recipe.end, () => controller.close());
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

/** @param {Recipe} recipe @param {Uint8Array<ArrayBuffer>} bytes */
function readerBy(recipe, bytes) {
  const pieces = piecesBy(recipe, bytes);
  const read = () => {
    const { done, value } = pieces.next();
    return done ? (endBy(recipe.end, () => {}) ?? { done: true }) : { done: false, value };
  };
  /** @type {Record<string, () => unknown>} */
  const ways = { "cancel throws": throwing, "cancel rejects": rejecting };
  const way = recipe.read in ways ? "a promise" : recipe.read;
  return { read: () => made(way, waysToGive(read)), cancel: ways[recipe.read] ?? (() => {}) };
}

/** @param {Recipe} recipe @param {Uint8Array<ArrayBuffer>} bytes */
function* piecesBy({ pieces, end }, bytes) {
  const middle = bytes.length >> 1;
  let half = 0;
  for (const piece of pieces) {
    yield made(piece, {
      "all of it": () => bytes.slice(),
      "half of it": () => (half++ % 2 === 0 ? bytes.slice(0, middle) : bytes.slice(middle)),
    });
  }
  while (end === "endless pieces, never") yield new Uint8Array();
}

/** @param {string} word @param {() => void} close */
function endBy(word, close) {
  return made(word, { done: close, "endless pieces, never": close, never: () => new Promise(() => {}) });
}
