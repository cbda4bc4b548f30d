/**
 * Removes registrations of properties from style sheets. Charts.css has invalid ones, which browsers ignore and the minifier
 * rejects; the page needs none of them.
 */

/** @type {import("postcss").Plugin} */
export const unregisteredProperties = {
  postcssPlugin: "unregistered-properties",
  AtRule: {
    property: (rule) => void rule.remove(),
  },
};
