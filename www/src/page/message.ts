/** The message of an error, or of any other value that was thrown. */

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
