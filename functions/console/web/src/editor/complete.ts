import { type Completion, type CompletionContext, type CompletionResult, snippetCompletion } from "@codemirror/autocomplete";
import { localCompletionSource, snippets } from "@codemirror/lang-javascript";
import { syntaxTree } from "@codemirror/language";
import type { SyntaxNode } from "@lezer/common";
import table from "virtual:completions";

import type { Member } from "./completion-table";
import { infer, type Known, membersOf, patternSource } from "./infer";

const WORD = /^[\w$]*$/;
const NOT_CODE = new Set(["LineComment", "BlockComment", "TemplateString", "RegExp"]);

/** The type of event.data by the source of the run; rows have their table's columns besides. */
const DATA: [type: string, source: string][] = [
  ["BaaS.RowMembers", "flex_schema"],
  ["PaidOrder", "…_pay_success"],
  ["FileRecord", "file_operation"],
  ["IncomingWebhook", "incoming_webhook"],
  ["ChatMessage", "chat_message"],
];

const MAIN = snippetCompletion("exports.main = async (event) => {\n  ${}\n}", { label: "exports.main", type: "keyword", detail: "the entry" });

/** Completes code of functions: BaaS and modules from the declarations, local definitions, and the given fields of event.data. */
export function complete(context: CompletionContext, given: readonly string[]): CompletionResult | null {
  const node = syntaxTree(context.state).resolveInner(context.pos, -1);
  if (node.name === "String") return moduleNames(context, node);
  if (NOT_CODE.has(node.name)) return null;

  const member = node.name === "MemberExpression" ? node : node.parent;
  if (member?.name === "MemberExpression" && node.from > member.firstChild!.from && /^(\.|\?\.|PropertyName|⚠)$/.test(node.name)) {
    return among(context, node, optionsOf(infer(context.state, member.firstChild), given));
  }

  const pattern = enclosingPattern(node);
  if (pattern) return among(context, node, optionsOf(patternSource(context.state, pattern), given));
  return names(context, node);
}

/** Names in `require("…")` and `import … from "…"`. */
function moduleNames(context: CompletionContext, node: SyntaxNode): CompletionResult | null {
  const call = node.parent?.parent;
  const asked = call?.firstChild && context.state.sliceDoc(call.firstChild.from, call.firstChild.to);
  if (node.parent?.name !== "ImportDeclaration" && asked !== "require") return null;
  const options = table.modules.map((module) => option(module, "namespace"));
  return { from: node.from + 1, options, validFor: /^[\w/:]*$/ };
}

function among(context: CompletionContext, node: SyntaxNode, options: Completion[]): CompletionResult | null {
  const from = WORD.test(context.state.sliceDoc(node.from, context.pos)) ? node.from : context.pos;
  return options.length === 0 ? null : { from, options, validFor: WORD };
}

function optionsOf(known: Known | undefined, given: readonly string[]): Completion[] {
  if (!known?.data) return membersOf(known).map((member) => option(member));
  const seen = new Set(given);
  const fields = given.map((label): Completion => ({ label, type: "property", detail: "in the runner", boost: 2 }));
  for (const [type, source] of DATA) {
    for (const member of membersOf({ t: table.named[type] })) {
      if (seen.has(member.n)) continue;
      seen.add(member.n);
      fields.push({ ...option(member), detail: `${source} ${member.s ?? ""}` });
    }
  }
  return fields;
}

function enclosingPattern(node: SyntaxNode): SyntaxNode | undefined {
  for (let at: SyntaxNode | null = node, steps = 0; at && steps < 3; at = at.parent, steps++) {
    if (at.name === "ObjectPattern") return at;
  }
  return undefined;
}

/** Completes a name without a dot before it: local definitions, globals, and keywords. */
function names(context: CompletionContext, node: SyntaxNode): CompletionResult | null {
  const word = context.matchBefore(/[\w$]+/);
  if (!word && !context.explicit) return null;
  if (/Definition$|PropertyName|Number/.test(node.name)) return null;

  const own = localCompletionSource(context)?.options ?? [];
  const seen = new Set(own.map((one) => one.label));
  const globals = table.globals.filter((one) => !seen.has(one.n)).map((one) => option(one));
  return { from: word?.from ?? context.pos, options: [...own.map(preferred), ...globals, ...snippets, MAIN], validFor: WORD };
}

const preferred = (option: Completion): Completion => ({ ...option, boost: 1 });

function option(member: Member, type = kindOf(member)): Completion {
  return { label: member.n, type, detail: member.s, info: member.d, boost: member.d?.includes("Deprecated: ") ? -50 : 0 };
}

function kindOf(member: Member): string {
  if (member.i !== undefined) return "class";
  if (member.s?.startsWith("(") || member.s?.startsWith("<")) return "function";
  return member.s === undefined ? "namespace" : "property";
}
