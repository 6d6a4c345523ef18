import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";

import { grammars, type Language, setup } from "./setup";

const collapseUnchanged = { margin: 3 };

/** Two texts side by side, one below the other on a phone; what is the same is folded away. */
export function Difference({ before, after, language, label }: { before: string; after: string; language: Language; label: string }) {
  const host = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    let view: { destroy(): void } | undefined;
    let gone = false;
    void grammars[language]().then((grammar) => {
      if (!gone) view = show(root, before, after, setup(grammar, true, label));
    });
    return () => {
      gone = true;
      view?.destroy();
    };
  }, [before, after, language]);

  return <div ref={host} class="editor" />;
}

function show(root: ShadowRoot, before: string, after: string, extensions: Extension[]): { destroy(): void } {
  if (matchMedia("(max-width: 48rem)").matches) {
    const unified = unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged });
    return new EditorView({ root, parent: root, state: EditorState.create({ doc: after, extensions: [extensions, unified] }) });
  }

  return new MergeView({ a: { doc: before, extensions }, b: { doc: after, extensions }, root, parent: root, collapseUnchanged });
}
