/**
 * No cookies: a replacement of the package `tough-cookie` for MSW, for services without cookies. A bundler uses it by
 * `resolve.alias`, because with its list of public suffixes `tough-cookie` is more than half of MSW.
 */

/** An empty cookie jar. */
export class CookieJar {
  getCookiesSync() {
    return [];
  }

  async setCookie() {}
}

/** An empty store. */
export class MemoryCookieStore {
  idx = {};
}

/** Cookies, none of which are ever created. */
export const Cookie = { fromJSON: () => null };
