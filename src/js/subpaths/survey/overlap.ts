// The people who are in two columns of a tabulation, and how their answers go together.

import { Sums } from "./tally.js";

/** The weight of those who are in a row in the one column, in the other, and in both, and how many are there in only one. */
interface Answers {
  one: number;
  other: number;
  both: number;
  unlike: number;
}

export class Overlap {
  readonly people = new Sums(1);
  readonly #rows = new Map<number, Answers>();

  /** Adds the answer of one of the people: in which of the columns the person is in a row. */
  add(row: number, weight: number, isInOne: boolean, isInOther: boolean): void {
    if (!isInOne && !isInOther) return;
    const answers = this.#rows.get(row) ?? { one: 0, other: 0, both: 0, unlike: 0 };
    this.#rows.set(row, answers);
    if (isInOne) answers.one += weight;
    if (isInOther) answers.other += weight;
    if (isInOne && isInOther) answers.both += weight;
    else answers.unlike++;
  }

  /** Their correlation in a row: 1 if all answers are the same, 0 if one does not vary. */
  correlation(row: number): number {
    const weight = this.people.weights[0] as number;
    if (!(weight > 0)) return 0;
    const { one, other, both, unlike } = this.#rows.get(row) ?? { one: 0, other: 0, both: 0, unlike: 0 };
    if (unlike === 0) return 1;
    const [u, v] = [one / weight, other / weight];
    const [first, second] = [u * (1 - u), v * (1 - v)];
    return Math.min(first, second) > 1e-12 ? (both / weight - u * v) / Math.sqrt(first * second) : 0;
  }
}
