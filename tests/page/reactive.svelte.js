/** What only Svelte's compiler makes: properties that a test can change. */

/**
 * @template {object} Properties
 * @param {Properties} properties
 */
export function reactive(properties) {
  const state = $state({ ...properties });
  return state;
}
