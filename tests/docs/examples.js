/** The examples of the types: each a module with a function that runs it. */

import { readExports } from "../../tools/docs/reference.ts";

/** The examples in the documentation comments of the types, with imports of what they use. */
export function examplesOfTypes() {
  const exports = readExports();
  const commented = exports.flatMap((each) => [each, ...each.members]);
  const examples = new Set(
    commented.flatMap(({ comment }) => comment.tags.flatMap(({ name, text }) => (name === "example" ? [text] : []))),
  );
  return Array.from(examples, (example, index) => {
    const imports = example.match(/^import .*;\n/gm)?.join("") ?? "";
    const body = example.replaceAll(/^import .*;\n/gm, "");
    const missing = exports.filter(({ name }) => {
      const word = new RegExp(`\\b${name}\\b`);
      return word.test(body) && !word.test(imports);
    });
    const added = missing.map(({ name, entry }) => `import { ${name} } from "${entry}";\n`).join("");
    const code = `${imports}${added}export async function example() {\n${body}\n}`;
    return { place: `example-${index + 1}`, language: "ts", code };
  });
}
