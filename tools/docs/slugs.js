/** The anchors of headings, as code hosts make them, so that a link works in both places. */

/** @param {string} heading */
export function slug(heading) {
  return (
    heading
      .trim()
      .toLowerCase()
      // A member keeps its dot as a dash: `FindingsError.code` and `FindingsErrorCode` are on one page of the reference.
      .replace(/^(\w+)\.(?=\w+$)/, "$1-")
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-")
  );
}
