/** The index of the search: a script with the text of each section of the site. */

/**
 * @param {{ name: string, title: string, sections: import("./markdown.js").Section[] }[]} pages
 */
export function searchIndex(pages) {
  const entries = pages.flatMap(({ name, title, sections }) =>
    sections.map(({ heading, text }) => ({
      page: title,
      heading: heading.text,
      address: heading.level === 1 ? `${name}.html` : `${name}.html#${heading.anchor}`,
      text: text.trim().replaceAll(/\s+/g, " "),
    })),
  );
  return `export default ${JSON.stringify(entries)};\n`;
}
