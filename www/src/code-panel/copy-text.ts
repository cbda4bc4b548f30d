/** Copying: by the clipboard where the page may use it, else as by hand. */

/** Copies the text of an element; gives the words that tell how it went. */
export async function copyText(element: HTMLElement): Promise<string> {
  if ((await isCopied(element.textContent)) || isCopiedByHand(element)) {
    return "Copied.";
  }
  return "The browser does not let this page copy. The lines are selected: copy them with the keyboard.";
}

/** There is no clipboard in a page that came over plain http, and the reader may refuse it. */
async function isCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** The selection stays, for the reader to do it where this fails, too. */
function isCopiedByHand(element: HTMLElement): boolean {
  getSelection()?.selectAllChildren(element);
  return document.execCommand("copy");
}
