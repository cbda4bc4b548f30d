/** A page that saves findings as CSV, for Excel, or as NDJSON, Parquet or Arrow. */

import { FindingsClient, type FindingsTable } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { csvOf, type ExportOptions, xlsxOf } from "inspection-findings/export";
import { createFakeService } from "inspection-findings/testing";
import { ndjson, type Piece, parquet } from "./formats.js";

type Pieces = Iterable<Piece> | AsyncIterable<Piece>;

const formats: Record<string, { extension: string; pieces: (table: FindingsTable, options: ExportOptions) => Pieces }> =
  {
    CSV: { extension: ".csv", pieces: (table, options) => whole(table, csvOf(table, options)) },
    Excel: { extension: ".xlsx", pieces: (table, options) => whole(table, xlsxOf(table, options)) },
    NDJSON: { extension: ".ndjson", pieces: ndjson },
    Parquet: { extension: ".parquet", pieces: parquet },
    Arrow: { extension: ".arrows", pieces: (table) => [[toArrowIPC(table), table.length]] },
  };

// The fake service stands in for the real API. For your own service, pass its URL and your token.
const { baseUrl, fetch } = createFakeService({ scenario: "jittered" });
const client = new FindingsClient({ baseUrl, fetch });
const status = document.getElementById("status") as HTMLOutputElement;
const stop = document.getElementById("stop") as HTMLButtonElement;
let controller = new AbortController();
stop.addEventListener("click", () => controller.abort());

const table = await client.loadTable(42, "sentiment");
status.textContent = `${table.length} findings loaded.`;
for (const name of Object.keys(formats)) {
  const button = document.createElement("button");
  button.textContent = `Save as ${name}`;
  button.addEventListener("click", () => save(name));
  document.getElementById("formats")?.append(button, " ");
}

async function save(name: string) {
  controller.abort();
  controller = new AbortController();
  const { signal } = controller;
  const { extension = "", pieces } = formats[name] ?? {};
  let file: Awaited<ReturnType<typeof openFile>> | undefined;
  try {
    file = await openFile(`findings${extension}`);
    stop.disabled = false;
    const show = (done: number) => {
      status.textContent = `${done} of ${table.length} findings written`;
    };
    const options = { signal, onProgress: ({ rowsDone }: { rowsDone: number }) => show(rowsDone) };
    for await (const [content, done] of pieces?.(table, options) ?? []) {
      await file.write(content);
      show(done);
      // Lets the page draw and handle input.
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
    }
    await file.close();
    status.textContent = `${table.length} findings saved as ${name}.`;
  } catch (error) {
    await file?.abort();
    status.textContent = (error as Error).name === "AbortError" ? "Stopped." : String(error);
  }
  stop.disabled = true;
}

/** A file that is written as a whole. */
async function* whole(table: FindingsTable, file: Promise<Blob>): AsyncGenerator<Piece> {
  yield [await file, table.length];
}

/** Opens a file that the reader chooses, or one that becomes a download. */
async function openFile(suggestedName: string) {
  const { showSaveFilePicker } = globalThis as {
    showSaveFilePicker?: (options: object) => Promise<FileSystemFileHandle>;
  };
  if (showSaveFilePicker) return (await showSaveFilePicker({ suggestedName })).createWritable();
  const parts: BlobPart[] = [];
  return {
    write: async (part: BlobPart) => void parts.push(part),
    abort: async () => {},
    async close() {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob(parts));
      link.download = suggestedName;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    },
  };
}
