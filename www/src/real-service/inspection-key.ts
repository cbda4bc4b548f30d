/**
 * The inspection key that the reader types: a whole number of at most 64 bits, perhaps beyond 2^53. Usage:
 *
 *     checkInspectionKey(input); // once: from then on the form validates the key
 *     const inspectionKey = readInspectionKey(input.value);
 */

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

/** Returns a number if it is exact, otherwise a bigint. The text must be valid by {@link checkInspectionKey}. */
export function readInspectionKey(text: string): number | bigint {
  const exact = BigInt(text.trim());
  const key = Number(exact);
  return Number.isSafeInteger(key) ? key : exact;
}

/** Makes the browser validate the field, with a message for the reader. */
export function checkInspectionKey(input: HTMLInputElement): void {
  const check = () => input.setCustomValidity(problemOf(input.value.trim()));
  input.addEventListener("input", check);
  check();
}

function problemOf(text: string): string {
  if (!/^-?\d+$/.test(text)) {
    return "An inspection key is a whole number.";
  }
  const key = BigInt(text);
  return key < smallest || key > largest ? "An inspection key has at most 64 bits." : "";
}
