import type { EditorState } from "@codemirror/state";
import { syntaxTree } from "@codemirror/language";
import type { SyntaxNode } from "@lezer/common";
import table from "virtual:completions";

import type { Member } from "./completion-table";

/** The type of an expression: a member of the table, or the result of a call that must be awaited. */
export type Known = Pick<Member, "t" | "r" | "a" | "i"> & {
  /** A promise of this. */
  later?: Known;
  /** event.data, whose fields depend on the source of the run. */
  data?: true;
};

/** The limit for definitions that use one another, which may form a circle. */
const DEEPEST = 12;

const LITERALS: Record<string, string> = {
  String: "String", TemplateString: "String", ArrayExpression: "Array", RegExp: "RegExp", Number: "Number",
};

/** The members of a known type. */
export function membersOf(known: Known | undefined): readonly Member[] {
  const place = known?.later ? table.named.Promise : known?.t;
  return place === undefined ? [] : (table.types[place] ?? []);
}

/** Node's modules, and what they are. */
export function moduleNamed(name: string): Known | undefined {
  const bare = name.replace(/^node:/, "");
  return table.modules.find((module) => module.n === bare);
}

/** Infers the type of an expression from the table and the code above it. */
export function infer(state: EditorState, node: SyntaxNode | null, depth = 0): Known | undefined {
  if (!node || depth > DEEPEST) return undefined;
  const next = (of: SyntaxNode | null) => infer(state, of, depth + 1);
  const literal = LITERALS[node.name];
  if (literal) return { t: table.named[literal] };

  switch (node.name) {
    case "VariableName":
      return variable(state, node, depth);
    case "MemberExpression":
      return memberNamed(next(node.firstChild), text(state, node.lastChild));
    case "CallExpression":
      return called(state, node, next(node.firstChild));
    case "NewExpression": {
      const made = next(node.getChild("VariableName") ?? node.getChild("MemberExpression"));
      return made?.i === undefined ? undefined : { t: made.i };
    }
    case "AwaitExpression": {
      const given = next(node.lastChild);
      return given?.later ?? given;
    }
    case "ParenthesizedExpression":
      return next(node.firstChild?.nextSibling ?? null);
  }
  return undefined;
}

function called(state: EditorState, node: SyntaxNode, callee: Known | undefined): Known | undefined {
  if (text(state, node.firstChild) === "require") return moduleNamed(unquoted(state, node.getChild("ArgList")?.getChild("String")));
  if (callee?.r === undefined) return undefined;
  return callee.a ? { later: { t: callee.r } } : { t: callee.r };
}

/** A member by name; the members of event.data depend on the source of the run. */
function memberNamed(of: Known | undefined, name: string): Known | undefined {
  if (of?.t === table.named.CloudFunctionEvent && name === "data") return { data: true };
  return membersOf(of).find((member) => member.n === name);
}

function variable(state: EditorState, node: SyntaxNode, depth: number): Known | undefined {
  const name = text(state, node);
  const definition = definitionOf(state, name, node.from);
  return definition ? defined(state, definition, depth) : table.globals.find((one) => one.n === name);
}

/** The last definition before a place whose block holds the place, or failing that any. */
function definitionOf(state: EditorState, name: string, at: number): SyntaxNode | undefined {
  let found: SyntaxNode | undefined;
  syntaxTree(state).iterate({
    enter: (node) => {
      if (node.name !== "VariableDefinition" || state.sliceDoc(node.from, node.to) !== name) return;
      const scope = scopeOf(node.node);
      if (node.from < at && scope.from <= at && at <= scope.to) found = node.node;
    },
  });
  return found;
}

function scopeOf(node: SyntaxNode): SyntaxNode {
  let scope = node;
  while (scope.parent && !/^(Block|Script|ArrowFunction|Function(Declaration|Expression)|MethodDeclaration|ForStatement)$/.test(scope.name)) {
    scope = scope.parent;
  }
  return scope;
}

function defined(state: EditorState, definition: SyntaxNode, depth: number): Known | undefined {
  const parent = definition.parent;
  switch (parent?.name) {
    case "VariableDeclaration":
      return infer(state, after(definition, "Equals"), depth + 1);
    case "PatternProperty": {
      const name = text(state, parent.getChild("PropertyName")) || text(state, definition);
      return memberNamed(patternSource(state, parent.parent, depth), name);
    }
    case "ImportDeclaration":
    case "ImportGroup":
      return imported(state, definition);
    case "ParamList":
      return isEvent(state, definition, parent) ? { t: table.named.CloudFunctionEvent } : undefined;
  }
  return undefined;
}

/** The object that `const { a, b } = …`, or a first parameter `({ data })`, is taken from. */
export function patternSource(state: EditorState, pattern: SyntaxNode | null, depth = 0): Known | undefined {
  if (pattern?.name !== "ObjectPattern") return undefined;
  const parent = pattern.parent;
  if (parent?.name === "VariableDeclaration") return infer(state, after(pattern, "Equals"), depth + 1);
  if (parent?.name === "ParamList" && isMain(state, parent)) return { t: table.named.CloudFunctionEvent };
  return undefined;
}

function imported(state: EditorState, definition: SyntaxNode): Known | undefined {
  let declaration: SyntaxNode | null = definition;
  while (declaration && declaration.name !== "ImportDeclaration") declaration = declaration.parent;
  const module = moduleNamed(unquoted(state, declaration?.getChild("String")));
  return definition.parent?.name === "ImportGroup" ? memberNamed(module, text(state, definition)) : module;
}

/** The first parameter of main is the event; elsewhere whatever calls itself so. */
function isEvent(state: EditorState, definition: SyntaxNode, list: SyntaxNode): boolean {
  const first = list.firstChild?.nextSibling;
  return first?.from === definition.from && (text(state, definition) === "event" || isMain(state, list));
}

function isMain(state: EditorState, list: SyntaxNode): boolean {
  const before = state.sliceDoc(Math.max(0, list.from - 80), list.from);
  return /(exports\.main|module\.exports|export\s+default|(const|let|var)\s+main)\s*=?\s*(async\s*)?(function\s*\w*\s*)?$|function\s+main\s*$/.test(before);
}

function after(node: SyntaxNode, name: string): SyntaxNode | null {
  let sibling = node.nextSibling;
  if (sibling?.name !== name) return null;
  sibling = sibling.nextSibling;
  return sibling;
}

function text(state: EditorState, node: SyntaxNode | null | undefined): string {
  return node ? state.sliceDoc(node.from, node.to) : "";
}

function unquoted(state: EditorState, node: SyntaxNode | null | undefined): string {
  return text(state, node).slice(1, -1);
}
