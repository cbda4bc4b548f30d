/** The memories of all WebAssembly modules of the page. */

/** @type {WebAssembly.Memory[]} */
const memories = [];

const { instantiate } = WebAssembly;

/** Starts to watch new instances. */
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

/** The total size in bytes. Memories never shrink. */
export function memorySize() {
  return memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}
