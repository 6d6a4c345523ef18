import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintKeymap } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

import { language } from "../text";
import { part } from "../ui/lazy";
import { phrases } from "./phrases";

/** The language of a text. */
export type Language = "javascript" | "json" | "text";

/** The grammars, each loaded when the first text in it is shown. */
export const grammars: Record<Language, () => Promise<Extension>> = {
  javascript: () => part(import("./javascript")).then((m) => m.javascript),
  json: () => part(import("@codemirror/lang-json")).then((m) => m.json()),
  text: () => Promise.resolve([]),
};

/** Colours by the page's own variables, so that they follow its theme. */
const look = EditorView.theme({
  "&": { height: "100%", fontSize: "14px", backgroundColor: "var(--wa-color-surface-default)", color: "var(--wa-color-text-normal)" },
  ".cm-scroller": { fontFamily: "var(--wa-font-family-code)", overflow: "auto" },
  ".cm-gutters": { backgroundColor: "var(--wa-color-surface-lowered)", color: "var(--wa-color-text-quiet)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--wa-color-neutral-fill-quiet)" },
  ".cm-cursor": { borderLeftColor: "var(--wa-color-text-normal)" },
  "&.cm-focused": { outline: "2px solid var(--wa-color-focus)" },
  ".cm-collapsedLines": { background: "var(--wa-color-neutral-fill-quiet)", color: "var(--wa-color-text-quiet)" },
  ".cm-collapsedLines::before, .cm-collapsedLines::after": { content: '"⋯"' },
  ".cm-tooltip": { backgroundColor: "var(--wa-color-surface-raised)", border: "1px solid var(--wa-color-surface-border)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--wa-color-brand-on-quiet)" },
  { tag: [tags.string, tags.regexp], color: "var(--wa-color-success-on-quiet)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--wa-color-warning-on-quiet)" },
  { tag: tags.comment, color: "var(--wa-color-text-quiet)", fontStyle: "italic" },
  { tag: [tags.propertyName, tags.function(tags.variableName)], color: "var(--wa-color-danger-on-quiet)" },
]);

/** Ctrl+F or ⌘F; once the finding is loaded its own keys come first. */
function openFind(view: EditorView): boolean {
  void part(import("./find")).then((m) => m.find(view));
  return true;
}

/** The extensions of every editor of the console. Escape and then Tab leaves it by keyboard. */
export function setup(grammar: Extension, readOnly: boolean, label: string): Extension[] {
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    syntaxHighlighting(colours),
    keymap.of([{ key: "Mod-f", run: openFind }, ...defaultKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
    grammar,
    look,
    language.value === "zh" ? EditorState.phrases.of(phrases) : [],
    EditorState.readOnly.of(readOnly),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
  ];
}
