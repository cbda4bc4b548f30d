/** The scales of the laboratory's dials: their names, their stops, and their values in words. */

import { type Dials, ranges } from "../../../tests/fake-backend/demo.js";
import { number } from "../page/format.js";
import type { Scale } from "./dial.js";

export type DialName = Exclude<keyof Dials, "seed">;
export type Scales = readonly (readonly [DialName, Scale])[];

const times = [0, 10, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000];

/** The faults of the service. */
export const faults: Scales = [
  ["latency", { label: "Latency", stops: times, words: (value) => `${number(value)} ms` }],
  ["jitter", { label: "Jitter", stops: times, words: (value) => (value === 0 ? "none" : `up to ${number(value)} ms`) }],
  [
    "errorRate",
    {
      label: "Error rate",
      stops: [0, 1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100],
      words: (value) => `${value} %`,
    },
  ],
  [
    "rateLimit",
    {
      label: "Rate limit",
      stops: [0, 100, 70, 50, 30, 20, 15, 10, 7, 5, 3, 2, 1],
      words: (value) => (value === 0 ? "none" : `${value} per second`),
    },
  ],
];

/** The size of the inspection. */
export const sizes: Scales = [
  [
    "findings",
    {
      label: "Findings",
      stops: [0, ...rounded(10, ranges.findings.most)],
      words: number,
    },
  ],
  [
    "partitionSize",
    {
      label: "Partition size",
      stops: rounded(ranges.partitionSize.least, ranges.partitionSize.most),
      words: number,
    },
  ],
];

/** Round numbers in a range, a few for each power of ten. */
function rounded(least: number, most: number): number[] {
  const numbers: number[] = [];
  for (let power = least; power <= most; power *= 10) {
    numbers.push(...[1, 2, 3, 5, 7].map((digit) => digit * power));
  }
  return numbers.filter((value) => value <= most);
}
