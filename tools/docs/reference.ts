/** The reference: what the package exports, as Markdown, from its types and their documentation comments. */

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript-5";
import { inRepository } from "../repository.js";
import { type Page, slug } from "./pages.ts";

type Comment = ReturnType<typeof commentOf>;
export type Member = ReturnType<typeof readMember>;
export type Export = ReturnType<typeof readExport>;

/** The pages of the reference: their titles, and the files of types that declare what is on them. What only other entries export is on the last page. */
const pages: Record<string, [title: string, ...files: string[]]> = {
  client: ["Client and functions", "client", "functions"],
  options: ["Types of options and results", "options", "finding", "counts", "progress"],
  tables: [
    "Tables",
    "table",
    "count-by",
    "summarize",
    "aggregates",
    "added-column",
    "jsonified",
    "condition",
    "live-table-types",
    "column-name",
  ],
  streams: ["Streams", "stream"],
  errors: ["Types of errors", "error", "user-message"],
  entries: ["Other entries"],
};

const printer = ts.createPrinter({ removeComments: true });

/** Reads everything that the entries of the built package export, each once. */
export function readExports() {
  const entries = entriesWithTypes();
  const program = ts.createProgram([...entries.values()], {
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
  });
  const checker = program.getTypeChecker();
  const exports = new Map<string, Export>();
  for (const [entry, file] of entries) {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      // An entry with fewer calls has other types under the same names.
      if (!exports.has(symbol.name)) exports.set(symbol.name, readExport(symbol, checker, entry));
    }
  }
  return [...exports.values()];
}

/** The reference as pages, with the address of each export by its name. */
export function reference(exports: Export[]): { pages: Page[]; symbols: Map<string, string> } {
  const symbols = new Map<string, string>();
  for (const each of exports) symbols.set(each.name, `${pageOf(each)}.html#${slug(each.name)}`);
  const written = Object.entries(pages).map(([name, [title, ...files]]) => {
    // By their files, and in one file classes and functions before types.
    const rank = ({ file, signature }: Export) =>
      files.indexOf(file) * 2 + Number(/^(?:type|interface) /.test(signature));
    const shown = exports.filter((each) => pageOf(each) === `reference-${name}`).toSorted((a, b) => rank(a) - rank(b));
    const markdown = `# ${title}\n\n${shown.map((each) => exportAsMarkdown(each, symbols)).join("\n")}`;
    return { name: `reference-${name}`, title, markdown };
  });
  return { symbols, pages: written };
}

/** The first sentence of a comment, without a list that follows it. */
export function summary({ text }: Comment) {
  const [paragraph] = text.replaceAll(/\{@link\s+([\w.]+)\s*\}/g, "$1").split("\n\n");
  const [sentence] = paragraph.replaceAll(/\s+/g, " ").match(/^.*?\.(?=\s|$)/) ?? [paragraph];
  return sentence.trim().replace(/:$/, ".");
}

/** The entries of the package that have types: what a program imports, and the file with the types. */
function entriesWithTypes() {
  const { name, exports } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));
  const typed = Object.entries<{ types?: string }>(exports).filter(([, { types }]) => types !== undefined);
  return new Map(typed.map(([path, { types }]) => [join(name, path).replace(/\/$/, ""), inRepository(String(types))]));
}

function pageOf({ name, entry, file }: Pick<Export, "name" | "entry" | "file">) {
  const found = Object.keys(pages).find((name) => pages[name].indexOf(file) > 0);
  if (found === undefined && !entry.includes("/")) {
    throw new Error(`No page of the reference lists the file ${file}, which declares ${name}.`);
  }
  return `reference-${found ?? "entries"}`;
}

/** @param entry what it is imported from */
function readExport(symbol: ts.Symbol, checker: ts.TypeChecker, entry: string) {
  const declarations = symbol.declarations ?? [];
  const [declaration] = declarations.filter((node) => commentOf(node).text !== "").concat(declarations);
  return {
    ...readMember(declaration),
    name: symbol.name,
    entry,
    /** The file of types that declares it, without its ending. */
    file: basename(declaration.getSourceFile().fileName, ".d.ts"),
    signature: declarations
      .filter((node) => declarations.length === 1 || !ts.isVariableDeclaration(node))
      .map(signatureOf)
      .join("\n"),
    members: joinedByName(membersOf(declaration, symbol, checker)),
  };
}

function readMember(node: ts.Declaration) {
  return { name: nameOf(node), signature: signatureOf(node), brief: briefOf(node), comment: commentOf(node) };
}

function membersOf(declaration: ts.Declaration, symbol: ts.Symbol, checker: ts.TypeChecker): ts.Declaration[] {
  if (ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)) {
    const isConstructor = (member: ts.Declaration) => ts.isConstructorDeclaration(member);
    const [constructors, others] = [declaration.members.filter(isConstructor), [...declaration.members]];
    return [...new Set([...constructors, ...inherited(declaration, checker), ...others])].filter(
      (member) =>
        !(member.name && ts.isPrivateIdentifier(member.name)) &&
        !(ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private),
    );
  }
  if (!ts.isTypeAliasDeclaration(declaration)) return [];
  // A union of objects has the members of all.
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const skipped = inheritedNames(declaration.type, checker);
  return (type.isUnion() ? type.types : [])
    .flatMap((each) => checker.getPropertiesOfType(each))
    .filter(({ name }) => !skipped.has(name))
    .flatMap(({ declarations }) => declarations ?? [])
    .filter((node) => commentOf(node).text !== "" && !node.getSourceFile().fileName.includes("node_modules"));
}

/** The names of the members that the interfaces of an intersection inherit. Like an interface, it has only their own members here. */
function inheritedNames(node: ts.TypeNode, checker: ts.TypeChecker): Set<string> {
  const types = ts.isIntersectionTypeNode(node) ? node.types.map((each) => checker.getTypeAtLocation(each)) : [];
  const bases = types.flatMap((each) => (each.isClassOrInterface() ? checker.getBaseTypes(each) : []));
  return new Set(bases.flatMap((each) => checker.getPropertiesOfType(each)).map(({ name }) => name));
}

/** The members of the class that a class extends. */
function inherited(declaration: ts.Declaration, checker: ts.TypeChecker) {
  const clauses = ts.isClassDeclaration(declaration) ? declaration.heritageClauses : [];
  const types = clauses?.flatMap(({ types }) => types) ?? [];
  const declarations = types.flatMap((type) => checker.getTypeAtLocation(type).symbol.declarations ?? []);
  return declarations
    .filter(ts.isClassDeclaration)
    .flatMap(({ members }) => [...members])
    .filter((member) => !ts.isConstructorDeclaration(member));
}

/** Joins the signatures of one name, such as those of an overloaded method. */
function joinedByName(nodes: ts.Declaration[]) {
  const members = new Map<string, Member>();
  for (const member of nodes.map(readMember)) {
    const { name, signature, comment } = member;
    const known = members.get(name);
    if (known === undefined) members.set(name, member);
    else if (!known.signature.includes(signature)) {
      known.signature += `\n${signature}`;
      const { text, tags } = known.comment;
      if (!text.includes(comment.text)) {
        known.comment = { text: [text, comment.text].filter(Boolean).join("\n\n"), tags: [...tags, ...comment.tags] };
      }
    }
  }
  return [...members.values()];
}

function nameOf(node: ts.Declaration) {
  if (ts.isConstructorDeclaration(node)) return "constructor";
  return withSymbols(ts.getNameOfDeclaration(node)?.getText() ?? "call");
}

/** A text with the symbols that users write, instead of the constants of the package. */
function withSymbols(text: string) {
  return text.replace("[DISPOSE]", "[Symbol.dispose]").replace("[ASYNC_DISPOSE]", "[Symbol.asyncDispose]");
}

/** A declaration as a program would write it, without comments, and without the members of a class or an interface. */
function signatureOf(node: ts.Declaration) {
  const source = node.getSourceFile();
  const shown = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const printed = printer.printNode(ts.EmitHint.Unspecified, shown, source);
  const text = withSymbols(printed.replace(/^export /, "").replace(/^declare /, ""));
  // What computes a type tells a reader nothing.
  if (ts.isTypeAliasDeclaration(node) && ts.isConditionalTypeNode(node.type)) return text.slice(0, text.indexOf(" = "));
  return ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) ? text.slice(0, text.indexOf(" {\n")) : text;
}

/** A declaration in a few words: of a function its name, the names of its parameters, and a short type of its result. */
function briefOf(node: ts.Declaration) {
  const isFunction = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node);
  if (!isFunction) return nameOf(node);
  const parameters = node.parameters
    .map(({ name, questionToken, dotDotDotToken }) =>
      [dotDotDotToken, name, questionToken].map((part) => part?.getText() ?? "").join(""),
    )
    .filter((name) => name !== "this");
  const result = node.type?.getText() ?? "";
  const isShort = result.length < 60 && !/\bSelf\b|\n/.test(result);
  return `${nameOf(node)}(${parameters.join(", ")})${isShort ? `: ${result}` : ""}`;
}

function commentOf(node: ts.Node) {
  const owner = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const comments = ts.getJSDocCommentsAndTags(owner).filter(ts.isJSDoc);
  return {
    text: comments.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "").join("\n\n"),
    tags: comments.flatMap(({ tags }) => [...(tags ?? [])].map(readTag)),
  };
}

function readTag(tag: ts.JSDocTag) {
  const text = ts.getTextOfJSDocComment(tag.comment) ?? "";
  const name = tag.tagName.text;
  return ts.isJSDocParameterTag(tag) ? { name, text: `\`${tag.name.getText()}\`: ${text}` } : { name, text };
}

function exportAsMarkdown({ name, entry, signature, comment, members }: Export, symbols: ReadonlyMap<string, string>) {
  const from = entry.includes("/") ? `Exported by \`${entry}\`.\n` : "";
  const shown = members.map(
    (member) =>
      `### ${name}.${member.name}\n\n${codeOf(member.signature)}\n${commentAsMarkdown(member.comment, name, symbols)}`,
  );
  return [`## ${name}\n`, codeOf(signature), from, commentAsMarkdown(comment, name, symbols), ...shown].join("\n");
}

function codeOf(code: string) {
  return `\`\`\`ts\n${code}\n\`\`\`\n`;
}

/** @param owner the name whose members the comment may link without it */
function commentAsMarkdown({ text, tags }: Comment, owner: string, symbols: ReadonlyMap<string, string>) {
  const ofTag = (name: string) => tags.filter((tag) => tag.name === name).map((tag) => tag.text);
  const list = Object.entries({ param: "", returns: "Returns ", throws: "Throws ", default: "Default: " })
    .flatMap(([name, word]) =>
      ofTag(name).map((each) => `- ${word}${name === "throws" ? each.replace(/^\w+/, "`$&`") : each}`),
    )
    .map((item) => linked(item, owner, symbols).replaceAll("\n", "\n  "));
  const examples = ofTag("example").map((code) => codeOf(code.trim()));
  return [linked(text, owner, symbols), "", ...list, "", ...examples].join("\n");
}

/** Replaces the links of a comment, whose targets are exports or members of them. */
function linked(text: string, owner: string, symbols: ReadonlyMap<string, string>) {
  return text.replaceAll(/\{@link\s+([\w.]+)\s*\}/g, (_, /** @type {string} */ target: string) => {
    const [name, member] = symbols.has(target.split(".")[0]) ? target.split(".") : [owner, target];
    const page = symbols.get(name)?.split("#")[0];
    return page === undefined
      ? `\`${target}\``
      : `[\`${target}\`](${page}#${slug(member ? `${name}.${member}` : name)})`;
  });
}
