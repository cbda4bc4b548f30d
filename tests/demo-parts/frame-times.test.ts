/** The times between frames: which of them are late. */

import { describe, expect, test } from "vitest";
import { FrameTimes } from "../../www/src/progress/frame-times.js";

describe("a frame", () => {
  for (const [screen, interval] of [
    ["60 Hz", 1000 / 60],
    ["144 Hz", 1000 / 144],
  ] as const) {
    test(`is late after more than one and a half intervals of a screen with ${screen}`, () => {
      const factors = [1, 1, 1, 1.4, 1, 1, 1.6, 1, 3, 1];
      expect(smoothnessOf(factors.map((factor) => factor * interval))).toEqual({
        frames: 10,
        late: 2,
        longest: 3 * interval,
      });
    });
  }

  test("is late although most others are, too", () => {
    expect(smoothnessOf([16, 50, 50, 16, 50, 50, 16, 50])).toEqual({ frames: 8, late: 5, longest: 50 });
  });

  test("is not late in a page that has drawn nothing", () => {
    expect(new FrameTimes().smoothness).toEqual({ frames: 0, late: 0, longest: 0 });
  });
});

function smoothnessOf(gaps: number[]) {
  const times = new FrameTimes();
  for (const gap of gaps) {
    times.add(gap);
  }
  return times.smoothness;
}
