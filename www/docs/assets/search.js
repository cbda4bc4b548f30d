/** The search: loads the index when the reader first uses the field, and lists the sections that have all words. */

/** @typedef {{ page: string, heading: string, address: string, text: string }} Entry */

const field = /** @type {HTMLInputElement} */ (document.getElementById("search"));
const hits = /** @type {HTMLElement} */ (document.getElementById("hits"));
const status = /** @type {HTMLElement} */ (document.getElementById("hits-status"));

/** The most sections to list. */
const most = 12;

/** The characters of a section to show around its first match. */
const excerptLength = 90;

/** @type {Promise<Entry[]> | undefined} */
let index;

field.addEventListener("input", search);
field.addEventListener("focus", search);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !hits.hidden) {
    close();
    field.focus();
  } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !hits.hidden) {
    move(event.key === "ArrowDown" ? 1 : -1, event);
  } else if (event.key === "/" && !isTyping(event.target)) {
    event.preventDefault();
    field.focus();
  }
});
document.addEventListener("focusin", ({ target }) => {
  if (!(target instanceof Node && (hits.contains(target) || target === field))) {
    close();
  }
});
document.addEventListener("click", ({ target }) => {
  if (!(target instanceof Node && (hits.contains(target) || target === field))) {
    close();
  }
});

async function search() {
  const words = wordsOf(field.value);
  if (words.length === 0) {
    close();
    return;
  }
  index ??= load();
  const entries = await index;
  if (field.value.length > 0 && String(words) === String(wordsOf(field.value))) {
    show(found(entries, words), words);
  }
}

async function load() {
  const address = "./search-index.js";
  const module = await import(address);
  return module.default;
}

/**
 * The sections with all words: those with more of them in the heading first.
 * @param {Entry[]} entries
 * @param {string[]} words
 */
function found(entries, words) {
  const scored = entries.flatMap((entry) => {
    const heading = `${entry.heading} ${entry.page}`.toLowerCase();
    const all = `${heading} ${entry.text.toLowerCase()}`;
    if (!words.every((word) => all.includes(word))) {
      return [];
    }
    const score =
      words.filter((word) => heading.includes(word)).length * 2 +
      Number(entry.heading.toLowerCase() === words.join(" "));
    return { entry, score };
  });
  return scored.sort((a, b) => b.score - a.score).map(({ entry }) => entry);
}

/**
 * @param {Entry[]} entries
 * @param {string[]} words
 */
function show(entries, words) {
  const list = document.createElement("ul");
  for (const entry of entries.slice(0, most)) {
    const link = document.createElement("a");
    link.href = `./${entry.address}`;
    link.append(entry.heading);
    const excerpt = document.createElement("span");
    excerpt.textContent =
      entry.heading === entry.page ? around(entry, words) : `${entry.page} · ${around(entry, words)}`;
    link.append(excerpt);
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
  const none = document.createElement("p");
  none.textContent = "Nothing found";
  hits.replaceChildren(entries.length === 0 ? none : list);
  hits.hidden = false;
  status.textContent = entries.length === 1 ? "1 section found" : `${entries.length} sections found`;
}

/**
 * The text of a section around the first word.
 * @param {Entry} entry
 * @param {string[]} words
 */
function around({ text }, words) {
  const at = Math.max(text.toLowerCase().indexOf(words[0]), 0);
  const start = at < excerptLength / 2 ? 0 : text.lastIndexOf(" ", at - excerptLength / 4) + 1;
  return `${start > 0 ? "… " : ""}${text.slice(start, start + excerptLength)}`;
}

/**
 * Moves the focus to the link after or before.
 * @param {1 | -1} step
 * @param {Event} event
 */
function move(step, event) {
  const places = [field, ...hits.querySelectorAll("a")];
  const place = places.indexOf(/** @type {HTMLInputElement} */ (document.activeElement));
  if (place >= 0) {
    event.preventDefault();
    places[(place + step + places.length) % places.length].focus();
  }
}

function close() {
  hits.hidden = true;
  status.textContent = "";
}

/** @param {string} text */
function wordsOf(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
