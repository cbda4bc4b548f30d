// The `.wasm` file as text. A byte below 80 is one character, from `#` on. Before a larger one stands one of the three
// characters after those: it says that 80, 160 or 240 is added to the next byte.

export declare const MODULE: string;
