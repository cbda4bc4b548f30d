/** The public types as one file, so that a change of an option, a member or a result shows in the diff. */

import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import ts from "typescript-5";
import { dist, inRepository } from "../../../tools/repository.js";

const printer = ts.createPrinter({ removeComments: true });

test("the declarations of all entries are those of public-types.txt, which npm run update:types writes", (t) => {
  const files = globSync("*.d.ts", { cwd: dist }).toSorted();
  const declarations = files.map((name) => {
    const source = ts.createSourceFile(name, readFileSync(inRepository("dist", name), "utf8"), ts.ScriptTarget.Latest);
    return `// ${name}\n${printer.printFile(source)}`;
  });
  const file = inRepository("tests", "unit", "types", "public-types.txt");
  t.assert.fileSnapshot(declarations.join("\n"), file, { serializers: [String] });
});
