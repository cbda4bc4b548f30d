import { DecompressionStream } from "node:stream/web";

globalThis.DecompressionStream = DecompressionStream;
