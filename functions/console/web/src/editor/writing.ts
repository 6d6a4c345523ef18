import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionSource } from "@codemirror/autocomplete";
import { type Extension, Prec } from "@codemirror/state";
import { keymap } from "@codemirror/view";

export { startCompletion } from "@codemirror/autocomplete";

/** The extensions for writing, loaded when an editor first has the focus. */
export function writing(complete: CompletionSource | undefined): Extension[] {
  return [
    autocompletion(complete ? { override: [complete] } : {}),
    closeBrackets(),
    Prec.high(keymap.of([...closeBracketsKeymap, ...completionKeymap])),
  ];
}
