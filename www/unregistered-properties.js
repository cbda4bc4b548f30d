/**
 * Takes the registrations of properties out of style sheets. Charts.css has some that are not valid, which browsers pass
 * over and the minifier stops at; the page needs none of them.
 */

/** @type {import("postcss").Plugin} */
export const unregisteredProperties = {
  postcssPlugin: "unregistered-properties",
  AtRule: {
    property: (rule) => void rule.remove(),
  },
};
