// The parts of Flechette that write the footer of a file. It exports them without types.

declare module "@uwdata/flechette/src/encode/builder.js" {
  export class Builder {
    constructor(sink: { write(part: Uint8Array): void });
  }
}

declare module "@uwdata/flechette/src/encode/footer.js" {
  import type { Schema } from "@uwdata/flechette";
  import type { Builder } from "@uwdata/flechette/src/encode/builder.js";

  export interface Block {
    offset: number;
    metadataLength: number;
    bodyLength: number;
  }

  export function writeFooter(
    builder: Builder,
    schema: Schema,
    dictionaries: Block[],
    batches: Block[],
    metadata: Map<string, string> | null,
  ): void;
}
