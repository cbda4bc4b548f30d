/** The fake service of `inspection-findings/testing` in a page. */

import { createFakeService } from "inspection-findings/testing";
import { describe, expect, test } from "vitest";

describe("the fake service", () => {
  test("gives the same bytes for a seed in every engine", async () => {
    const { baseUrl, fetch } = createFakeService({ seed: 1 });
    const texts = [0, 1, 2, 3].map(async (index) => (await fetch(`${baseUrl}Findings/1/Topics/${index}`)).text());
    const bytes = new TextEncoder().encode((await Promise.all(texts)).join("\n"));
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    expect(hex).toBe("e3fc11777e539d16b01dbc23e6b1f2d1ebed6879b0241c8904b7a22874af38dc");
  });

  test("resolves a relative URL against the page", async () => {
    const service = createFakeService({ baseUrl: new URL(".", document.baseURI) });
    expect((await service.fetch("Findings/1")).status).toBe(200);
  });
});
