/** The place of the work: whether a worker or the page sends, reads and decodes. The page's address keeps the choice. */

import type { Options } from "inspection-findings";

export type Place = "worker" | "page";

const parameter = "place";

/** The place in the page's address; a worker unless it says otherwise. */
export function placeInAddress(): Place {
  return new URLSearchParams(location.search).get(parameter) === "page" ? "page" : "worker";
}

/** Writes a place to the page's address, without a new entry in the history. */
export function writePlace(place: Place): void {
  const url = new URL(location.href);
  url.searchParams.delete(parameter);
  if (place === "page") {
    url.searchParams.set(parameter, place);
  }
  if (url.href !== location.href) {
    history.replaceState(history.state, "", url);
  }
}

/** The option of the client. */
export function optionOf(place: Place): NonNullable<Options["worker"]> {
  return place === "worker" ? "auto" : false;
}
