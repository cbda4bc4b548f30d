/** The base URL that the reader types: its origin, and what is wrong with it. */

/** The origin of a service; undefined if the text is not the URL of a service. */
export function originOf(baseUrl: string): string | undefined {
  const url = URL.parse(baseUrl.trim());
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/** What is wrong with the text, for the reader; empty if nothing is. */
export function problemOf(baseUrl: string): string {
  const url = URL.parse(baseUrl.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return "Type the whole URL, such as https://host/cxi/.";
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return "A base URL contains no user name, no question mark and no hash sign (#).";
  }
  if (url.protocol === "http:" && url.origin !== location.origin && !isThisMachine(url)) {
    return "Over http this page can reach only localhost and 127.0.0.1. Any other service must be reached over https.";
  }
  return "";
}

/** Whether the host is a name of this machine that the page's content security policy allows. */
export function isThisMachine({ hostname }: URL | Location): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1";
}
