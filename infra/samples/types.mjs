// What TypeScript says of the declarations: one compile for all samples of the documents, the wrong uses, and a list of what is
// declared. Reads {declarations, files: {name: text}} and writes {problems, declared} as JSON.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const ts = createRequire(new URL("../packages/package.json", import.meta.url))("typescript");
const input = JSON.parse(readFileSync(0, "utf8"));
const folder = fileURLToPath(new URL("/virtual/", import.meta.url));
const files = new Map(Object.entries(input.files).map(([name, text]) => [folder + name, text]));
files.set(folder + "baas.d.ts", input.declarations);

const options = {
  allowJs: true, checkJs: true, strict: true, noEmit: true, types: [], lib: ["lib.esnext.d.ts"], target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, esModuleInterop: true,
};
const host = ts.createCompilerHost(options);
const { getSourceFile, fileExists, readFile } = host;
host.getSourceFile = (name, language) => (files.has(name) ? ts.createSourceFile(name, files.get(name), language) : getSourceFile.call(host, name, language));
host.fileExists = (name) => files.has(name) || fileExists.call(host, name);
host.readFile = (name) => files.get(name) ?? readFile.call(host, name);

const program = ts.createProgram([...files.keys()], options, host);
const checker = program.getTypeChecker();
const problems = ts.getPreEmitDiagnostics(program).map((d) => ({
  file: d.file?.fileName.slice(folder.length) ?? "",
  line: d.file === undefined ? 0 : d.file.getLineAndCharacterOfPosition(d.start).line + 1,
  code: d.code,
  text: ts.flattenDiagnosticMessageText(d.messageText, "\n"),
}));

// member says of one property whether it is a function, a field, or one that may be absent.
function member(symbol) {
  if (symbol.name.startsWith("__@")) return undefined; // its name is a symbol
  if (symbol.flags & ts.SymbolFlags.Optional) return [symbol.name, "optional"];
  return [symbol.name, checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0 ? "function" : "field"];
}
const members = (symbols) => Object.fromEntries(symbols.map(member).filter((one) => one !== undefined));

// describe gives the members of a value, and for classes those of what they make.
function describe(symbol) {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  if (!(target.flags & ts.SymbolFlags.Value)) return undefined;
  const type = checker.getTypeOfSymbol(target);
  const out = { calls: type.getCallSignatures().length > 0, open: checker.getIndexInfosOfType(type).length > 0 };
  out.members = members(checker.getPropertiesOfType(type).filter((p) => p.name !== "prototype"));
  const made = target.flags & ts.SymbolFlags.Class ? checker.getDeclaredTypeOfSymbol(target) : type.getProperty("prototype") && checker.getTypeOfSymbol(type.getProperty("prototype"));
  if (made !== undefined) out.made = members(checker.getPropertiesOfType(made));
  return out;
}
const all = (symbols) => Object.fromEntries(symbols.map((s) => [s.name, describe(s)]).filter(([, d]) => d !== undefined));

const source = program.getSourceFile(folder + "baas.d.ts");
const declared = { globals: {}, interfaces: {}, modules: {}, BaaS: {} };
for (const statement of source.statements) {
  const names = ts.isVariableStatement(statement) ? statement.declarationList.declarations.map((d) => d.name) : statement.name ? [statement.name] : [];
  for (const name of names) {
    const symbol = checker.getSymbolAtLocation(name);
    if (ts.isModuleDeclaration(statement) && ts.isStringLiteral(name)) {
      declared.modules[name.text] = moduleOf(symbol);
    } else if (symbol.name === "BaaS") {
      declared.BaaS = all(checker.getExportsOfModule(symbol));
      for (const one of checker.getExportsOfModule(symbol)) {
        if (one.flags & ts.SymbolFlags.Interface) declared.interfaces[one.name] = members(checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(one)));
      }
    } else if (describe(symbol) !== undefined) {
      declared.globals[symbol.name] = describe(symbol);
    }
  }
}

// moduleOf is a module's value: what `export =` gives, or its exports, and the classes among them.
function moduleOf(symbol) {
  const equals = symbol.exports.get("export=");
  if (equals === undefined) {
    const values = all(checker.getExportsOfModule(symbol));
    const classes = Object.fromEntries(Object.entries(values).filter(([, one]) => one.made).map(([name, one]) => [name, one.made]));
    return { calls: false, members: members(checker.getExportsOfModule(symbol).filter((one) => one.name in values)), classes };
  }
  const target = equals.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(equals) : equals;
  return { ...describe(equals), absent: checker.getTypeOfSymbol(target).symbol?.name === "AbsentModule" };
}

console.log(JSON.stringify({ problems, declared }));
