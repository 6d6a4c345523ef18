import type { CompletionSource } from "@codemirror/autocomplete";
import { linter, type Diagnostic } from "@codemirror/lint";
import { EditorState, type Extension, Prec, StateEffect } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";

import { part } from "../ui/lazy";
import { grammars, type Language, setup } from "./setup";

const CHECK_AFTER_MS = 400;
/** More changes than a render is ever late by. */
const MOST_LATE = 20;

type Props = {
  label: string;
  value: string;
  language: Language;
  readOnly?: boolean;
  onChange?: (value: string) => void;
  /** Ctrl+S or ⌘S. */
  onSave?: () => void;
  /** Ctrl+Enter or ⌘Enter. */
  onRun?: () => void;
  /** Checks the text when typing pauses. */
  check?: (value: string) => Promise<Diagnostic[]>;
  complete?: CompletionSource;
  /** The cursor stands in it as soon as it is there. */
  autofocus?: boolean;
};

/** A CodeMirror in a shadow root, where it styles itself without a style element: the page's policy allows none. */
export function CodeMirror(props: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>();
  const latest = useRef(props);
  latest.current = props;
  /** The texts that were written and may come back as value: a late render must not undo later input. */
  const written = useRef<string[]>([]);

  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    let gone = false;
    void grammars[props.language]().then((grammar) => {
      if (gone) return;
      view.current = new EditorView({ root, parent: root, state: firstState(latest, grammar, written.current) });
      if (latest.current.autofocus) view.current.focus();
    });
    return () => {
      gone = true;
      view.current?.destroy();
      view.current = undefined;
    };
  }, [props.language, props.readOnly]);

  useEffect(() => {
    const echo = written.current.indexOf(props.value);
    if (echo >= 0) return void written.current.splice(0, echo);
    const held = view.current?.state.doc;
    if (held && held.toString() !== props.value) {
      view.current!.dispatch({ changes: { from: 0, to: held.length, insert: props.value } });
    }
  }, [props.value]);

  return <div ref={host} class="editor" />;
}

function firstState(props: { current: Props }, grammar: Extension, written: string[]): EditorState {
  const { value, readOnly = false, label, check, complete } = props.current;
  return EditorState.create({
    doc: value,
    extensions: [
      Prec.highest(
        keymap.of([
          { key: "Mod-s", preventDefault: true, stopPropagation: true, run: () => (props.current.onSave?.(), true) },
          { key: "Ctrl-Space", run: (view) => (void write(view, complete).then((m) => m.startCompletion(view)), true) },
          { key: "Mod-Enter", preventDefault: true, run: () => props.current.onRun !== undefined && (props.current.onRun(), true) },
        ]),
      ),
      setup(grammar, readOnly, label),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        written.push(update.state.doc.toString());
        if (written.length > MOST_LATE) written.shift();
        props.current.onChange?.(written.at(-1)!);
      }),
      check ? linter((view) => props.current.check!(view.state.doc.toString()), { delay: CHECK_AFTER_MS }) : [],
      readOnly ? [] : EditorView.domEventHandlers({ focus: (_, view) => void write(view, complete) }),
    ],
  });
}

const ready = new WeakSet<EditorView>();

/** Adds the extensions for writing to an editor, once. */
async function write(view: EditorView, complete: CompletionSource | undefined) {
  const writing = await part(import("./writing"));
  if (!ready.has(view)) view.dispatch({ effects: StateEffect.appendConfig.of(writing.writing(complete)) });
  ready.add(view);
  return writing;
}
