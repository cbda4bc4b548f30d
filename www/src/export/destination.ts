/** Where an export goes: into a file of the reader's choice, where the browser lets a page write one, else to the downloads. */

export interface Destination {
  write(text: string): Promise<void>;
  /** Ends it: now the file is there. */
  close(): Promise<void>;
  /** Ends it without a file. */
  discard(): Promise<void>;
}

interface FileKind {
  name: string;
  mediaType: string;
  extension: string;
}

/** What browsers that can write files have; the types of TypeScript do not know it. */
interface FilePicker {
  showSaveFilePicker?: (options: object) => Promise<FileSystemFileHandle>;
}

/** How long the browser may take to begin with the download. */
const grace = 60_000;

/** Must be called while a click is handled. Rejects with an `AbortError` where the reader chooses no file. */
export async function chooseDestination(kind: FileKind): Promise<Destination> {
  return (await pickedFile(kind)) ?? download(kind);
}

/** Undefined where the browser has no such thing, or forbids it to this page. */
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

/** The file takes its new content only when the stream is closed. */
function written(stream: FileSystemWritableFileStream): Destination {
  return {
    write: (text) => stream.write(text),
    close: () => stream.close(),
    discard: () => stream.abort(),
  };
}

/** The parts are kept by the browser, outside the JavaScript heap, until the whole is there. */
function download({ name, mediaType }: FileKind): Destination {
  const parts: Blob[] = [];
  return {
    write: async (text) => {
      parts.push(new Blob([text]));
    },
    close: async () => {
      const href = URL.createObjectURL(new Blob(parts, { type: mediaType }));
      const link = document.createElement("a");
      link.href = href;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(href), grace);
    },
    discard: async () => {
      parts.length = 0;
    },
  };
}
