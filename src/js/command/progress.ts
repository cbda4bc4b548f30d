// The progress of a command: one line, which is replaced. Only a terminal shows it, so that cron has nothing to send.

export interface Progress {
  /** Replaces the line. */
  show(line: string): void;
  /** Replaces the line for the last time. */
  end(line?: string): void;
}

/** The progress on a stream. A terminal of the type `dumb`, such as that of Emacs, shows escape sequences as they are. */
export function progressOn(stream: { isTTY?: boolean; write(text: string): unknown }, type?: string): Progress {
  const isShown = stream.isTTY === true && type !== "dumb";
  const replace = (line: string) => isShown && stream.write(`\r\x1b[K${line}`);
  return { show: replace, end: (line) => replace(line === undefined ? "" : `${line}\n`) };
}
