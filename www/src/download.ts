/** The button that downloads what is shown, in the chosen format. */

import type { FindingsTable } from "inspection-findings";
import type { ExportOptions } from "inspection-findings/export";
import { announce, byId, number, onPress, textOf } from "./page.js";

/** The formats, by their values in the page. The page loads the writer of files with the first download. */
const formats: Record<string, (view: FindingsTable, options: ExportOptions) => Promise<Blob>> = {
  xlsx: async (view, options) => (await import("inspection-findings/export")).xlsxOf(view, options),
  csv: async (view, options) => (await import("inspection-findings/export")).csvOf(view, options),
  // Excel splits lines at semicolons where numbers have a decimal comma.
  "semicolon.csv": async (view, options) =>
    (await import("inspection-findings/export")).csvOf(view, { ...options, separator: ";" }),
};

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
      const file = await formats[value]?.(view, { signal: ending.signal, onProgress });
      if (file !== undefined) save(file, `findings.${value.split(".").at(-1)}`);
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
