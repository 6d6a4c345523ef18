import { useRef } from "preact/hooks";

import { toText } from "./cell";
import type { Column } from "./columns";

/** Puts the cursor at the end of a new field. A constant function, so that Preact calls it once for each field. */
function begin(field: HTMLElement | null): void {
  field?.focus();
  if (field instanceof HTMLTextAreaElement) field.setSelectionRange(field.value.length, field.value.length);
}

/** The input of a cell. Enter takes the value, Escape does not; Shift+Enter is a new line. */
export function CellInput({ column, value, onEnd }: { column: Column; value: unknown; onEnd: (text?: string) => void }) {
  const done = useRef(false);

  // Leaving the field after Enter or Escape would end it twice.
  function end(text?: string) {
    if (done.current) return;
    done.current = true;
    onEnd(text);
  }

  function onKeyDown(event: KeyboardEvent) {
    const field = event.currentTarget as HTMLTextAreaElement | HTMLSelectElement;
    if (event.key === "Enter" && !event.shiftKey) end(field.value);
    else if (event.key === "Escape") end();
    else return event.stopPropagation();
    event.preventDefault();
    event.stopPropagation();
  }

  const text = toText(value);
  const common = {
    "aria-label": column.name,
    ref: begin,
    onKeyDown,
  };
  if (column.type === "boolean") {
    return (
      <select {...common} value={text} onBlur={(event) => end(event.currentTarget.value)}>
        <option value=""></option>
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  }
  // A text area keeps the lines of a value; a field of one line would lose them.
  const rows = Math.min(8, Math.max(1, text.split("\n").length, Math.ceil(text.length / 60)));
  return <textarea {...common} rows={rows} defaultValue={text} spellcheck={false} onBlur={(event) => end(event.currentTarget.value)} />;
}
