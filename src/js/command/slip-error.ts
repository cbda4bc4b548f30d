// A slip in a command line that only the findings show.

/** What has arrived can be used with another command line: the export keeps it. */
export class SlipError extends Error {}
