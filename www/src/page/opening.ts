/** The opening of the page: whether it loads by itself what its address says. */

const parameter = "load";

/** True unless the URL says `load=later`. */
export function isLoadedOnOpening(): boolean {
  return new URLSearchParams(location.search).get(parameter) !== "later";
}
