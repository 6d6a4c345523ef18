import { readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import type { Plugin } from "vite";

import type { CompletionTable, Member } from "../src/editor/completion-table";

const MODULE = "virtual:completions";
const DECLARATIONS = join(import.meta.dirname, "../../../../shared/runtime/prelude/declarations");

/** The types that the editor finds by name: the event, its data by source, and the types of literals. */
const NAMED = [
  "CloudFunctionEvent", "PaidOrder", "FileRecord", "IncomingWebhook", "ChatMessage", "BaaS.RowMembers",
  "Promise", "String", "Array", "RegExp", "Number",
];

const LONGEST_SIGNATURE = 160;
const LONGEST_DOC = 600;
/** The limit for the language's own names, which are well known. */
const LONGEST_LIBRARY_DOC = 100;

/** Serves what functions can use, as a table made of its TypeScript declarations: the compiler itself would be 9 MB. */
export function completions(): Plugin {
  return {
    name: "completions",
    resolveId: (id) => (id === MODULE ? "\0" + MODULE : undefined),
    load(id) {
      if (id !== "\0" + MODULE) return undefined;
      const text = JSON.stringify(completionTable());
      return `export default JSON.parse(${JSON.stringify(text)})`;
    },
  };
}

/** Reads the declarations with TypeScript and walks all that can be reached from the globals and the modules. */
export function completionTable(): CompletionTable {
  const files = readdirSync(DECLARATIONS).filter((name) => name.endsWith(".d.ts")).map((name) => join(DECLARATIONS, name));
  const program = ts.createProgram(files, { lib: ["lib.esnext.d.ts"], types: [], target: ts.ScriptTarget.ESNext, noEmit: true });
  const walk = new Walk(program.getTypeChecker(), program.getSourceFile(files[0]!)!);
  return walk.table();
}

class Walk {
  private readonly places = new Map<ts.Symbol | ts.Type, number>();
  private readonly types: Member[][] = [];
  private readonly pending: (() => void)[] = [];

  constructor(
    private readonly checker: ts.TypeChecker,
    private readonly file: ts.SourceFile,
  ) {}

  table(): CompletionTable {
    const globals = this.checker
      .getSymbolsInScope(this.file, ts.SymbolFlags.Value)
      .filter((symbol) => !symbol.name.includes('"') && symbol.name !== "undefined")
      .map((symbol) => this.member(symbol));
    const modules = this.checker
      .getAmbientModules()
      .filter((symbol) => !symbol.name.startsWith('"node:'))
      .map((symbol) => this.module(symbol));
    const named = Object.fromEntries(NAMED.map((name) => [name, this.named(name)]));

    while (this.pending.length > 0) this.pending.pop()!();
    return { globals, modules, named, types: this.types };
  }

  private module(symbol: ts.Symbol): Member {
    const assigned = symbol.exports?.get(ts.InternalSymbolName.ExportEquals);
    const member = this.member(assigned ? this.resolved(assigned) : symbol);
    if (!assigned) member.t = this.place(symbol, this.checker.getExportsOfModule(symbol));
    return { ...member, n: symbol.name.replaceAll('"', ""), d: this.doc(symbol) };
  }

  private named(name: string): number {
    const [first, ...rest] = name.split(".");
    let symbol = this.checker.resolveName(first!, this.file, ts.SymbolFlags.Type | ts.SymbolFlags.Namespace, false);
    for (const part of rest) symbol = this.checker.getExportsOfModule(symbol!).find((one) => one.name === part);
    if (!symbol) throw new Error(`the declarations have no ${name}`);
    return this.ofType(this.checker.getDeclaredTypeOfSymbol(symbol))!;
  }

  private resolved(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  /** A name: its spelling, its comment, and the indexes of its members, its result and its instances. */
  private member(from: ts.Symbol, owner?: number): Member {
    const symbol = this.resolved(from);
    const member: Member = { n: from.name, d: this.doc(symbol) };
    if (!(symbol.flags & ts.SymbolFlags.Value)) return member;

    const type = this.checker.getTypeOfSymbol(symbol);
    const [call, create] = [type.getCallSignatures()[0], type.getConstructSignatures()[0]];
    const shown = call ?? create;
    member.s = cut(shown ? this.checker.signatureToString(shown) : this.checker.typeToString(type), LONGEST_SIGNATURE);
    if (member.s === "any" || member.s.startsWith("typeof ")) delete member.s;

    if (call) Object.assign(member, this.result(call, owner));
    if (create) member.i = this.ofType(create.getReturnType());
    if (!call || this.checker.getPropertiesOfType(type).length > 0) member.t = this.ofType(type, owner);
    return member;
  }

  /** The result of a call; a is set if it must be awaited. */
  private result(call: ts.Signature, owner?: number): Pick<Member, "r" | "a"> {
    const given = call.getReturnType();
    const awaited = given.symbol?.name === "Promise" ? this.checker.getTypeArguments(given as ts.TypeReference)[0] : undefined;
    return awaited ? { r: this.ofType(awaited, owner), a: 1 } : { r: this.ofType(given, owner) };
  }

  /** The place of a type's members; undefined for what has none. */
  private ofType(type: ts.Type, owner?: number): number | undefined {
    if (type.flags & ts.TypeFlags.TypeParameter && (type as { isThisType?: boolean }).isThisType) return owner;
    const base = this.checker.getBaseTypeOfLiteralType(this.checker.getNonNullableType(type));
    const apparent = this.checker.getApparentType(base);
    if (apparent.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Never | ts.TypeFlags.TypeParameter)) return undefined;

    // Every instance of a generic type has the members of the type itself.
    const target = (apparent as ts.TypeReference).target;
    const whole = target && !this.checker.isTupleType(target) ? target : apparent;
    const members = this.checker.getPropertiesOfType(whole);
    return members.length === 0 ? undefined : this.place(whole, members);
  }

  private place(key: ts.Symbol | ts.Type, symbols: readonly ts.Symbol[]): number {
    const known = this.places.get(key);
    if (known !== undefined) return known;
    const place = this.types.length;
    this.places.set(key, place);
    this.types.push([]);
    this.pending.push(() => {
      this.types[place] = symbols.filter(isShown).map((symbol) => this.member(symbol, place));
    });
    return place;
  }

  private doc(symbol: ts.Symbol): string | undefined {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.checker));
    const old = symbol.getJsDocTags(this.checker).find((tag) => tag.name === "deprecated");
    const whole = old ? `${text} Deprecated: ${ts.displayPartsToString(old.text) || "do not use it"}.` : text;
    const ours = symbol.declarations?.some((one) => one.getSourceFile().fileName.startsWith(DECLARATIONS));
    return whole.trim() === "" ? undefined : cut(whole.trim(), ours ? LONGEST_DOC : LONGEST_LIBRARY_DOC);
  }
}

/** Members whose names are symbols cannot be completed after a dot. */
function isShown(symbol: ts.Symbol): boolean {
  const value = symbol.flags & (ts.SymbolFlags.Value | ts.SymbolFlags.Alias);
  return value !== 0 && /^(?!__)[a-z_$]/i.test(symbol.name) && symbol.name !== "prototype";
}

function cut(text: string, size: number): string {
  return text.length <= size ? text : text.slice(0, size - 1) + "…";
}
