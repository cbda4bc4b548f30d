/**
 * The export of the findings that are shown, as a file. Usage:
 *
 *     const findingsExport = createExport({ view: () => view, name: () => "inspection-2-sentiment" });
 *     parent.append(findingsExport.element);
 *     findingsExport.refresh(); // after each change of the view
 *
 * `view` returns the filtered and sorted view that the page shows, or undefined. It may be freed or replaced during an
 * export, because the export has its own view. The styles are in style/export.css.
 */

import type { FindingsTable } from "inspection-findings";
import { makeButton } from "../page/button.js";
import { make } from "../page/element.js";
import { counted, number, percent } from "../page/format.js";
import { messageOf } from "../page/message.js";
import { arrow } from "./arrow.js";
import { csv } from "./csv.js";
import { chooseDestination } from "./destination.js";
import type { Format } from "./format.js";
import { ndjson } from "./ndjson.js";
import { parquet } from "./parquet.js";
import { savedAsText } from "./text-format.js";

const formats: readonly Format[] = [savedAsText(csv), savedAsText(ndjson), parquet, arrow];

interface Source {
  view: () => FindingsTable<object> | undefined;
  /** The name of the file, without its extension. */
  name: () => string;
}

export interface Export {
  readonly element: HTMLElement;
  /** Updates the number of findings to export. */
  refresh(): void;
}

export function createExport({ view, name }: Source): Export {
  const about = make("p", { class: "export-about" });
  const share = make("progress", { class: "export-share", "aria-label": "Findings exported", max: "1", value: "0" });
  const state = make("output", { class: "export-state" });
  const stop = makeButton("outlined", "Stop", () => running?.abort());
  const starts = formats.map((format) => makeButton("outlined", `Save as ${format.name}`, () => start(format)));
  let running: AbortController | undefined;

  refresh();
  return {
    element: make(
      "section",
      { class: "export", "aria-label": "Export" },
      make("div", { class: "export-actions" }, ...starts, stop),
      about,
      share,
      state,
    ),
    refresh,
  };

  function refresh(): void {
    const count = view()?.length ?? 0;
    about.textContent =
      count === 0 ? "Nothing to export." : `${counted(count, "finding")}, as filtered and sorted here.`;
    for (const start of starts) {
      start.setAttribute("aria-disabled", String(running !== undefined || count === 0));
    }
    stop.setAttribute("aria-disabled", String(running === undefined));
    share.dataset.running = String(running !== undefined);
  }

  async function start(format: Format): Promise<void> {
    const shown = view();
    if (running !== undefined || shown === undefined || shown.length === 0) {
      return;
    }
    // Its own view, because the one that is shown may be freed at any time.
    const own = shown.filter({});
    running = new AbortController();
    share.value = 0;
    state.textContent = `Exporting ${counted(own.length, "finding")}.`;
    refresh();
    state.textContent = await outcomeOf(exported(own, format, name(), running.signal, showDone));
    own.free();
    running = undefined;
    refresh();
  }

  function showDone(done: number, length: number): void {
    share.value = done / length;
    about.textContent = `${number(done)} of ${counted(length, "finding")}, ${percent(done / length)} %`;
  }
}

/** Writes the findings to a destination of the reader's choice. Resolves with a message for the reader. */
async function exported(
  findings: FindingsTable<object>,
  format: Format,
  name: string,
  signal: AbortSignal,
  showDone: (done: number, length: number) => void,
): Promise<string> {
  const { length } = findings;
  const file = `${name}${format.extension}`;
  const destination = await chooseDestination({ ...format, name: file });
  try {
    const onProgress = (done: number) => showDone(done, length);
    await format.save(findings, destination.write, { signal, onProgress });
    await destination.close();
  } catch (error) {
    await destination.discard().catch(() => {});
    throw error;
  }
  return `${counted(length, "finding")} exported as ${format.name}.`;
}

async function outcomeOf(work: Promise<string>): Promise<string> {
  try {
    return await work;
  } catch (error) {
    return isAbort(error) ? "Stopped: no file was written." : `The export failed. ${messageOf(error)}`;
  }
}

/** Whether the reader stopped the export or picked no file. */
function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
