/** Numbers for readers: grouped digits and suitable units. */

const whole = new Intl.NumberFormat("en");
const tenths = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export function number(value: number): string {
  return whole.format(value);
}

/** “3 of 12”, or “3” without a total. */
export function outOf(done: number, total: number | null): string {
  return total === null ? number(done) : `${number(done)} of ${number(total)}`;
}

/** “1 finding”, “2 findings”. */
export function counted(count: number, thing: string): string {
  return `${number(count)} ${thing}${count === 1 ? "" : "s"}`;
}

export function size(bytes: number): string {
  return bytes < 1e6 ? `${tenths.format(bytes / 1e3)} kB` : `${tenths.format(bytes / 1e6)} MB`;
}

export function duration(milliseconds: number): string {
  return `${tenths.format(milliseconds / 1000)} s`;
}

/** A share in whole per cent, rounded down: 100 only if nothing is missing. */
export function percent(share: number): number {
  return Math.floor(share * 100);
}
