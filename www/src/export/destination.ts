/** The destination of an export: a file that the reader picks if the browser supports that, otherwise a download. */

import type { Part } from "./format.js";

export interface Destination {
  write(part: Part): Promise<void>;
  /** Completes the file. */
  close(): Promise<void>;
  /** Ends without a file. */
  discard(): Promise<void>;
}

interface FileKind {
  name: string;
  mediaType: string;
  extension: string;
}

/** The File System Access API, which TypeScript's types lack. */
interface FilePicker {
  showSaveFilePicker?: (options: object) => Promise<FileSystemFileHandle>;
}

/** Milliseconds that the browser may take to begin the download. */
const downloadStart = 60_000;

/** Must be called while a click is handled. Rejects with an `AbortError` if the reader picks no file. */
export async function chooseDestination(kind: FileKind): Promise<Destination> {
  return (await pickedFile(kind)) ?? download(kind);
}

/** Undefined if the browser has no file picker, or forbids it to this page. */
async function pickedFile({ name, mediaType, extension }: FileKind): Promise<Destination | undefined> {
  try {
    const file = await (globalThis as FilePicker).showSaveFilePicker?.({
      suggestedName: name,
      types: [{ accept: { [mediaType]: [extension] } }],
    });
    return file && written(await file.createWritable());
  } catch (error) {
    if (error instanceof DOMException && ["SecurityError", "NotAllowedError"].includes(error.name)) {
      return undefined;
    }
    throw error;
  }
}

/** A picked file. Its content changes only when the stream is closed. */
function written(stream: FileSystemWritableFileStream): Destination {
  return {
    write: (part) => stream.write(part),
    close: () => stream.close(),
    discard: () => stream.abort(),
  };
}

/** A download. Until it is complete, the browser keeps its parts as blobs, outside the JavaScript heap. */
function download({ name, mediaType }: FileKind): Destination {
  const parts: Blob[] = [];
  return {
    write: async (part) => {
      parts.push(new Blob([part]));
    },
    close: async () => {
      const href = URL.createObjectURL(new Blob(parts, { type: mediaType }));
      const link = document.createElement("a");
      link.href = href;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(href), downloadStart);
    },
    discard: async () => {
      parts.length = 0;
    },
  };
}
