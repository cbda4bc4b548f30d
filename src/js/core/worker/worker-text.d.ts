// The script of the worker as text, which the build inserts.

export declare const SCRIPT: string;
