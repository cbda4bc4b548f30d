/** The playground: runs what the reader writes as a module of this page, and shows what it prints. */

import { textOf } from "./value-text.js";

const examples = [...document.querySelectorAll("main h2")].map((heading) => {
  const code = /** @type {Element} */ (heading.nextElementSibling);
  return { title: heading.firstChild?.textContent?.trim() ?? "", code, heading };
});

const playground = document.createElement("div");
playground.className = "playground";
playground.innerHTML = `
  <div class="playground-bar">
    <label>Example<select></select></label>
    <button type="button" class="primary">Run</button>
    <button type="button">Reset</button>
  </div>
  <textarea aria-label="Code" spellcheck="false" autocapitalize="off"></textarea>
  <output aria-label="Output" tabindex="0"></output>`;

const [choice, runButton, resetButton, editor, output] =
  /** @type {[HTMLSelectElement, HTMLElement, HTMLElement, HTMLTextAreaElement, HTMLOutputElement]} */ (
    /** @type {unknown} */ ([...playground.querySelectorAll("select, button, textarea, output")])
  );

/** How many runs have begun: what an earlier one prints late is not shown. */
let runs = 0;

/** Shows a line of the current run. */
let print = (/** @type {string} */ _text, /** @type {string} */ _kind) => {};

build();
showConsole();

/** Puts the editor in the place of the examples, which a reader without scripts reads as text. */
function build() {
  choice.append(...examples.map(({ title }) => new Option(title, title)));
  examples[0].heading.before(playground);
  for (const { heading, code } of examples) {
    heading.remove();
    code.remove();
  }
  choice.addEventListener("change", reset);
  resetButton.addEventListener("click", reset);
  runButton.addEventListener("click", run);
  editor.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });
  reset();
}

function reset() {
  runs += 1;
  editor.value = examples[choice.selectedIndex].code.textContent.trim();
  output.replaceChildren(line("Press Run, or Ctrl+Enter in the code.", "note"));
}

async function run() {
  runs += 1;
  const current = runs;
  const address = URL.createObjectURL(new Blob([editor.value], { type: "text/javascript" }));
  output.replaceChildren();
  print = (text, kind) => {
    if (current === runs) output.append(line(text, kind));
  };
  const start = performance.now();
  try {
    await import(address);
    print(`Finished after ${Math.round(performance.now() - start)} ms.`, "note");
  } catch (error) {
    print(textOf(error), "error");
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Also shows in the page what is written to the console. */
function showConsole() {
  for (const name of /** @type {const} */ (["log", "info", "warn", "error", "table"])) {
    const original = console[name];
    console[name] = (/** @type {unknown[]} */ ...values) => {
      Reflect.apply(original, console, values);
      print(values.map(textOf).join(" "), name === "error" || name === "warn" ? "error" : "");
    };
  }
}

/**
 * @param {string} text
 * @param {string} kind
 */
function line(text, kind) {
  const element = document.createElement("div");
  element.className = kind;
  element.textContent = text;
  return element;
}
