// The module, which the build compresses by DEFLATE and encodes in Base64.

export declare const MODULE: string;
/** Its size in bytes, before it was compressed. */
export declare const SIZE: number;
