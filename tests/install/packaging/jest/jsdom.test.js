/** @jest-environment jsdom */

import { getFindings } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";

test("jsdom alone is a load error that names the environment to use", async () => {
  const { baseUrl, fetch } = createFakeService();
  const call = getFindings(42, "topics", { baseUrl, fetch });
  await expect(call).rejects.toMatchObject({ code: "load", message: expect.stringContaining("jest-fixed-jsdom") });
});
