/** The base URL as it is typed: where it leads, and what is wrong with it. */

/** The origin of a service; undefined as long as the text is no address of one. */
export function originOf(baseUrl: string): string | undefined {
  const url = URL.parse(baseUrl.trim());
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/** In words, for the reader; empty where nothing is wrong. */
export function troubleWith(baseUrl: string): string {
  const url = URL.parse(baseUrl.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return "Type the whole address, such as https://host/cxi/.";
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return "A base URL has no user, no question mark and no number sign in it.";
  }
  if (url.protocol === "http:" && url.origin !== location.origin && !isThisMachine(url)) {
    return "Over http this page may only ask localhost and 127.0.0.1. Any other service has to be asked over https.";
  }
  return "";
}

/** The names of this machine that the page's content security policy allows. */
export function isThisMachine({ hostname }: URL | Location): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1";
}
