/** What only Svelte's compiler makes: properties that a test can change, and effects outside of a component. */

/**
 * @template {object} Properties
 * @param {Properties} properties
 */
export function reactive(properties) {
  const state = $state({ ...properties });
  return state;
}

/**
 * Shows a text in an element whenever it changes, until the function that it returns is called.
 * @param {HTMLElement} element
 * @param {() => () => string} begin called in an effect. Returns what reads the text
 */
export function showText(element, begin) {
  return $effect.root(() => {
    const read = begin();
    $effect(() => {
      element.textContent = read();
    });
  });
}
