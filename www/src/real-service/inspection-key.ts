/**
 * The inspection key as it is typed: a whole number of at most 64 bits, beyond 2^53 as well. How it is used:
 *
 *     checkInspectionKey(input); // once: from then on the form says what is wrong with the key
 *     const inspectionKey = readInspectionKey(input.value);
 */

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

/** A number where it is exact, else a bigint. The text must be one that {@link checkInspectionKey} has nothing against. */
export function readInspectionKey(text: string): number | bigint {
  const exact = BigInt(text.trim());
  const key = Number(exact);
  return Number.isSafeInteger(key) ? key : exact;
}

/** Lets the browser refuse what is no key, in words. */
export function checkInspectionKey(input: HTMLInputElement): void {
  const check = () => input.setCustomValidity(troubleWith(input.value.trim()));
  input.addEventListener("input", check);
  check();
}

function troubleWith(text: string): string {
  if (!/^-?\d+$/.test(text)) {
    return "An inspection key is a whole number.";
  }
  const key = BigInt(text);
  return key < smallest || key > largest ? "An inspection key has at most 64 bits." : "";
}
