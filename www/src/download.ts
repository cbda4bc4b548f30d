/** The button that downloads what is shown, in the chosen format. */

import type { FindingsTable } from "inspection-findings";
import type { ExportOptions } from "inspection-findings/export";
import { announce, byId, number, onPress, textOf } from "./page.js";

/** Writes a file in a format, which is a value in the page. The page loads the writer of files with the first download. */
async function written(format: string, view: FindingsTable, options: ExportOptions): Promise<Blob> {
  const { csvOf, xlsxOf } = await import("inspection-findings/export");
  if (format === "xlsx") return xlsxOf(view, options);
  // Excel splits lines at semicolons where numbers have a decimal comma.
  return csvOf(view, { ...options, separator: format === "csv" ? "," : ";" });
}

export class Download {
  readonly #button = byId("download");
  readonly #format = byId<HTMLSelectElement>("format");
  /** Ends the file that is being written. */
  #ending: AbortController | undefined;

  /** @param shown returns the findings that are shown; undefined if there is no table */
  constructor(shown: () => FindingsTable | undefined) {
    onPress(this.#button, () => {
      if (this.#ending !== undefined) return this.#ending.abort();
      const table = shown();
      // Another view, because the next selection frees the one that is shown.
      if (table !== undefined) void this.#write(table.filter({}));
    });
  }

  /** Ends the file that is being written. */
  cancel(): void {
    this.#ending?.abort();
  }

  async #write(view: FindingsTable): Promise<void> {
    const ending = new AbortController();
    this.#ending = ending;
    const { value } = this.#format;
    const label = this.#button.textContent;
    const rows = view.length;
    const onProgress = ({ rowsDone }: { rowsDone: number }) => {
      this.#button.textContent = `Cancel (${Math.floor((100 * rowsDone) / Math.max(1, rows))} %)`;
    };
    try {
      const file = await written(value, view, { signal: ending.signal, onProgress });
      save(file, `findings.${value.split(".").at(-1)}`);
      announce(`${number(rows)} findings downloaded`);
    } catch (error) {
      announce(ending.signal.aborted ? "Download cancelled" : `The download failed: ${textOf(error)}`);
    } finally {
      view.free();
      this.#ending = undefined;
      this.#button.textContent = label;
    }
  }
}

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
