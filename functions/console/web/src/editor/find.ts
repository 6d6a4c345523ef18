import { highlightSelectionMatches, openSearchPanel, searchKeymap } from "@codemirror/search";
import { Prec, StateEffect } from "@codemirror/state";
import { type EditorView, keymap } from "@codemirror/view";

/** Adds search to an editor and opens its panel. Loaded on first use. */
export function find(view: EditorView): void {
  const extensions = [Prec.high(keymap.of(searchKeymap)), highlightSelectionMatches()];
  view.dispatch({ effects: StateEffect.appendConfig.of(extensions) });
  openSearchPanel(view);
}
