/** What `create-next-app` sets. */

/** @type {import("next").NextConfig} */
export default { cacheComponents: true };
