/** The work location: whether a worker decodes large inspections, or the page everything. The page's URL keeps the choice. */

import type { Options } from "inspection-findings";

export type WorkLocation = "worker" | "page";

/** Where the work is done: in the page, though a worker was chosen, for a small inspection or without a worker. */
export type ActualWorkLocation = WorkLocation | "page after all";

const parameter = "place";

/** The work location in the page's URL; a worker unless it says otherwise. */
export function workLocationInUrl(): WorkLocation {
  return new URLSearchParams(location.search).get(parameter) === "page" ? "page" : "worker";
}

/** Writes a work location to the page's URL, without a new entry in the history. */
export function writeWorkLocation(workLocation: WorkLocation): void {
  const url = new URL(location.href);
  url.searchParams.delete(parameter);
  if (workLocation === "page") {
    url.searchParams.set(parameter, workLocation);
  }
  if (url.href !== location.href) {
    history.replaceState(history.state, "", url);
  }
}

/** The client's options: a worker is the default. */
export function optionsOf(workLocation: WorkLocation): Pick<Options, "worker"> {
  return workLocation === "worker" ? {} : { worker: false };
}
