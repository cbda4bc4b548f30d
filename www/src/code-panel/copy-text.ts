/** Copying: by the clipboard if the page may use it, otherwise by a selection. */

/** Copies the text of an element. Resolves with a message for the reader. */
export async function copyText(element: HTMLElement): Promise<string> {
  if ((await isCopied(element.textContent)) || isCopiedBySelection(element)) {
    return "Copied.";
  }
  return "The browser does not let this page copy. The lines are selected: copy them with the keyboard.";
}

/** A page over plain http has no clipboard, and the reader may refuse it. */
async function isCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Leaves the selection, so that the reader can copy it if this fails. */
function isCopiedBySelection(element: HTMLElement): boolean {
  getSelection()?.selectAllChildren(element);
  return document.execCommand("copy");
}
