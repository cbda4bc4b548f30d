// What the command needs of the file system besides `node:fs`.

/** The code of an error of the file system, such as `ENOENT`. */
function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** Resolves with undefined if a file does not exist. */
export async function ifThere<Result>(result: Promise<Result>): Promise<Result | undefined> {
  try {
    return await result;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
}

/** A handler of errors other than those with these codes. */
export function unless(...codes: string[]): (error: unknown) => void {
  return (error) => {
    if (!codes.includes(errorCode(error) ?? "")) throw error;
  };
}
