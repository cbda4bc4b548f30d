/** The message of an error, whatever was thrown in its place. */

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
