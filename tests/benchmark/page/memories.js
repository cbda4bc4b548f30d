/** The memories of all WebAssembly modules that the page starts: their size is what a tab has to find for them. */

/** @type {WebAssembly.Memory[]} */
const memories = [];

const { instantiate } = WebAssembly;

/** Sees every instance that is made from now on. */
export function watchMemories() {
  WebAssembly.instantiate = /** @type {typeof instantiate} */ (
    async (/** @type {Parameters<typeof instantiate>} */ ...parameters) => {
      /** @type {any} */
      const made = await instantiate(...parameters);
      /** @type {WebAssembly.Instance} */
      const instance = made.instance ?? made;
      memories.push(...Object.values(instance.exports).filter((value) => value instanceof WebAssembly.Memory));
      return made;
    }
  );
}

/** How many bytes they have grown to. They never shrink. */
export function memorySize() {
  return memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}
