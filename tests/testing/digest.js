/** The digest of what seed 1 makes: the same in every engine. */

/** SHA-256 of the bodies of the small inspection's four partitions of topic findings. */
export const digestOfSmallTopics = "e3fc11777e539d16b01dbc23e6b1f2d1ebed6879b0241c8904b7a22874af38dc";

/**
 * The digest of the bodies of a service's topic findings.
 * @param {import("inspection-findings/testing").FakeService} service
 * @param {number} partitions
 */
export async function digestOfTopics({ baseUrl, fetch }, partitions) {
  const texts = [];
  for (let index = 0; index < partitions; index++) {
    texts.push(await (await fetch(`${baseUrl}Findings/1/Topics/${index}`)).text());
  }
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(texts.join("\n")));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
