// A failure of an export that another attempt would only repeat.

/** The partitions that have arrived are of no use: the export deletes them. */
export class FinalError extends Error {}
