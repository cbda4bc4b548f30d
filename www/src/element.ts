/** Elements of the page: the ones that are there, and new ones. Text is only ever text, never markup. */

/** The element of that id, which the page is known to have. */
export function byId<Kind extends HTMLElement>(id: string): Kind {
  const element = document.getElementById(id);
  if (element === null) {
    throw new Error(`The page has no #${id}.`);
  }
  return element as Kind;
}

/** A new element. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    element.setAttribute(attribute, value);
  }
  element.append(...children);
  return element;
}
