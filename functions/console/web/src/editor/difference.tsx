import { MergeView } from "@codemirror/merge";
import { useEffect, useRef } from "preact/hooks";

import { grammars, type Language, setup } from "./setup";

/** Two texts side by side, what is the same folded away. */
export function Difference({ before, after, language, label }: { before: string; after: string; language: Language; label: string }) {
  const host = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    let view: MergeView | undefined;
    let gone = false;
    void grammars[language]().then((grammar) => {
      if (gone) return;
      const extensions = setup(grammar, true, label);
      const sides = { a: { doc: before, extensions }, b: { doc: after, extensions } };
      view = new MergeView({ ...sides, root, parent: root, collapseUnchanged: { margin: 3 } });
    });
    return () => {
      gone = true;
      view?.destroy();
    };
  }, [before, after, language]);

  return <div ref={host} class="editor" />;
}
