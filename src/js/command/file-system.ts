// What the command needs of the file system besides `node:fs`.

/** Resolves with undefined if a file does not exist. */
export function ifThere<Result>(result: Promise<Result>): Promise<Result | undefined> {
  return result.catch(unless("ENOENT"));
}

/** A handler of errors other than those with these codes. */
export function unless(...codes: string[]): (error: NodeJS.ErrnoException | undefined) => undefined {
  return (error) => {
    if (!codes.includes(error?.code ?? "")) throw error;
  };
}
