/** Elements of the page, existing and new. Text is never parsed as markup. */

/** Returns the element with this id, which must exist. */
export function byId<Kind extends HTMLElement>(id: string): Kind {
  const element = document.getElementById(id);
  if (element === null) {
    throw new Error(`The page has no #${id}.`);
  }
  return element as Kind;
}

/** Creates an element. */
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
