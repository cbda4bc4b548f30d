// The `.wasm` file, which the build compresses with DEFLATE and encodes in Base64.

export declare const MODULE: string;
