// The error of what a file of a format cannot hold.

/** A finding, a text or a number of rows that has no room in a file: another attempt would end with the same error. */
export class LimitError extends RangeError {}
