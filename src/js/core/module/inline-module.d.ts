// The `.wasm` file as text. The bytes 0 to 79 are the characters `#` to `r`. A larger byte is two characters: `s`, `t` or
// `u` for 80, 160 or 240, then the rest.

export declare const MODULE: string;
