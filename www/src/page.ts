/** Elements, numbers for readers, and announcements for screen readers. Text is never parsed as markup. */

/** Returns the element with this id, which must exist. */
export function byId<Kind extends HTMLElement>(id: string): Kind {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no #${id}.`);
  return element as Kind;
}

/** Creates an element. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.append(...children);
  return element;
}

/** Calls `press` for clicks. A button with `aria-disabled` ignores them but stays focusable, so that the keyboard focus is not lost. */
export function onPress(button: HTMLElement, press: () => void): void {
  button.addEventListener("click", () => {
    if (button.ariaDisabled !== "true") press();
  });
}

export function setDisabled(button: HTMLElement, isDisabled: boolean): void {
  button.setAttribute("aria-disabled", String(isDisabled));
}

const whole = new Intl.NumberFormat("en");

export function number(value: number): string {
  return whole.format(value);
}

/** “1 finding”, “2 findings”. */
export function counted(count: number, thing: string): string {
  return `${number(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/** “0.8 ms”, “45 ms”, “1.9 s”. */
export function duration(milliseconds: number): string {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The message of an error, for developers. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const announcer = byId("announcer");
let waiting: ReturnType<typeof setTimeout> | undefined;

/** Tells screen readers a text, after a pause without a newer one. */
export function announce(text: string, pause = 0): void {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    announcer.textContent = text;
  }, pause);
}
