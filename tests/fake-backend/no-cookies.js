/**
 * No cookies: all that MSW needs of the package `tough-cookie` where no service sets any or reads any. To be put in that
 * package's place by the bundler (`resolve.alias`), as with its list of public suffixes it is more than half of MSW.
 */

/** A jar that stays empty. */
export class CookieJar {
  getCookiesSync() {
    return [];
  }

  async setCookie() {}
}

/** A store with nothing in it. */
export class MemoryCookieStore {
  idx = {};
}

/** Cookies that are never made. */
export const Cookie = { fromJSON: () => null };
