import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionSource } from "@codemirror/autocomplete";
import { type Extension, Prec } from "@codemirror/state";
import { keymap } from "@codemirror/view";

export { startCompletion } from "@codemirror/autocomplete";

/** What only somebody who writes needs: it is loaded when the cursor first stands in an editor. */
export function writing(complete: CompletionSource | undefined): Extension[] {
  return [
    autocompletion(complete ? { override: [complete] } : {}),
    closeBrackets(),
    Prec.high(keymap.of([...closeBracketsKeymap, ...completionKeymap])),
  ];
}
