/** Markdown to HTML: headings with anchors, highlighted code, and links between the pages of the site. */

import hljs from "highlight.js/lib/common";
import MarkdownIt from "markdown-it";
import { slug } from "./pages.ts";

export type Heading = { level: number; text: string; anchor: string };

/** The plain text below a heading, for the search. */
export type Section = { heading: Heading; text: string };

/** The languages of code blocks, by the language that the highlighter knows. */
const highlighters: Record<string, string> = {
  ...{ js: "javascript", ts: "typescript", tsx: "typescript", html: "xml", svelte: "xml", vue: "xml" },
  ...{ sh: "bash", json: "json", python: "python", r: "r" },
};

/** Renders a page. Code that is a name of `symbols` leads to its address in the reference. */
export function render(markdown: string, symbols: ReadonlyMap<string, string>) {
  const parser = new MarkdownIt({ html: false, linkify: false });
  const sections: Section[] = [];
  const tokens = parser.parse(markdown, {});
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const text = plainText(tokens[index + 1]);
      const anchor = slug(text);
      token.attrSet("id", anchor);
      sections.push({ heading: { level: Number(token.tag.slice(1)), text, anchor }, text: "" });
    } else if (token.type === "inline" && tokens[index - 1].type !== "heading_open") {
      const section = sections.at(-1);
      if (section !== undefined) section.text += `${plainText(token)} `;
    }
    if (token.type === "inline") linkedIn(token, symbols);
  }
  parser.renderer.rules.heading_close = (all, index, _options, _environment) => {
    const anchor = all[index - 2].attrGet("id");
    const { tag } = all[index];
    return `${tag === "h1" ? "" : ` <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`}</${tag}>\n`;
  };
  // Code and tables that are wider than their column scroll by the keyboard, too.
  parser.renderer.rules.fence = (all, index) => {
    const { content, info } = all[index];
    const language = highlighters[info.split(" ")[0]];
    const code = language ? hljs.highlight(content, { language }).value : parser.utils.escapeHtml(content);
    return `<pre tabindex="0"><code>${code}</code></pre>\n`;
  };
  parser.renderer.rules.table_open = () => '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n';
  parser.renderer.rules.table_close = () => "</table></div>\n";
  const html = parser.renderer.render(tokens, parser.options, {});
  return { html, headings: sections.map(({ heading }) => heading), sections };
}

/** Changes the links of a line of text, and links code that names something of the reference. */
function linkedIn(token: import("markdown-it").Token, symbols: ReadonlyMap<string, string>) {
  let depth = 0;
  let isLeftOut = false;
  for (const child of token.children ?? []) {
    if (child.type === "link_open") {
      depth += 1;
      const address = addressInSite(String(child.attrGet("href")));
      isLeftOut = address === undefined;
      child.attrSet("href", address ?? "");
      child.hidden = isLeftOut;
    } else if (child.type === "link_close") {
      depth -= 1;
      child.hidden = isLeftOut;
    } else if (child.type === "code_inline" && depth === 0 && symbols.has(child.content)) {
      child.type = "html_inline";
      child.content = `<a href="${symbols.get(child.content)}"><code>${child.content}</code></a>`;
    }
  }
}

/** The address in the site of a link of a page; undefined for a file of the repository that is on no page, such as one of the tests. */
function addressInSite(href: string) {
  if (/^(?:https?:|#)/.test(href) || /^[\w-]+\.html(?:#|$)/.test(href)) return href;
  const [, name, anchor = ""] = href.match(/^([\w-]+)\.md(#.*)?$/) ?? [];
  return name && `${name}.html${anchor}`;
}

function plainText(token: import("markdown-it").Token) {
  return (token.children ?? [])
    .map(({ type, content }) => (type === "softbreak" || type === "hardbreak" ? " " : content))
    .join("");
}
