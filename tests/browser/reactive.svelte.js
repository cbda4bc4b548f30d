/** Properties of a component of Svelte that a test can change. */

/**
 * @template {object} Properties
 * @param {Properties} properties
 */
export function reactive(properties) {
  const state = $state({ ...properties });
  return state;
}
