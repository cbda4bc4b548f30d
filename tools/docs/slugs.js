/** The anchors of headings, as code hosts make them, so that a link works in both places. */

/**
 * Makes a function that gives each heading of one page its anchor.
 * @returns {(heading: string) => string}
 */
export function slugger() {
  /** @type {Map<string, number>} */
  const used = new Map();
  return (heading) => {
    const slug = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-");
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}
