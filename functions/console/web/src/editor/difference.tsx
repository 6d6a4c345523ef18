import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";

import { grammars, type Language, setup } from "./setup";

const collapseUnchanged = { margin: 3 };

type Props = {
  before: string;
  after: string;
  language: Language;
  label: string;
  /** Makes the second text editable. */
  onChange?: (after: string) => void;
};

/** Two texts side by side, on a phone one below the other; equal parts are collapsed. */
export function Difference({ before, after, language, label, onChange }: Props) {
  const host = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    let view: { destroy(): void } | undefined;
    let gone = false;
    void grammars[language]().then((grammar) => {
      if (gone) return;
      const heard = EditorView.updateListener.of((update) => update.docChanged && onChange?.(update.state.doc.toString()));
      view = show(root, before, after, setup(grammar, true, label), [setup(grammar, !onChange, label), heard], !onChange);
    });
    return () => {
      gone = true;
      view?.destroy();
    };
  }, [before, after, language]);

  return <div ref={host} class="editor" />;
}

type Shown = { destroy(): void };

function show(root: ShadowRoot, before: string, after: string, old: Extension, now: Extension, readOnly: boolean): Shown {
  if (matchMedia("(max-width: 48rem)").matches) {
    const unified = unifiedMergeView({ original: before, mergeControls: !readOnly, collapseUnchanged });
    return new EditorView({ root, parent: root, state: EditorState.create({ doc: after, extensions: [now, unified] }) });
  }

  const revertControls = readOnly ? undefined : "a-to-b";
  return new MergeView({ a: { doc: before, extensions: old }, b: { doc: after, extensions: now }, root, parent: root, collapseUnchanged, revertControls });
}
