/** The fake service of `inspection-findings/testing` in a page. */

import { createFakeService } from "inspection-findings/testing";
import { describe, expect, test } from "vitest";
import { digestOfSmallTopics, digestOfTopics } from "../testing/digest.js";

describe("the fake service", () => {
  test("gives the bytes that it gives in every engine", async () => {
    expect(await digestOfTopics(createFakeService({ seed: 1 }), 4)).toBe(digestOfSmallTopics);
  });

  test("resolves a relative URL against the page", async () => {
    const service = createFakeService({ baseUrl: new URL(".", document.baseURI) });
    expect((await service.fetch("Findings/1")).status).toBe(200);
  });
});
