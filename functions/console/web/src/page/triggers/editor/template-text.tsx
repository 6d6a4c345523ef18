import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";

import { mayChange } from "~/session";
import { texts } from "~/text";

const t = texts({ variables: ["Variables", "变量"] });

const SHOWN = 8;
const OPEN = /\{\{\s*([\w.]*)$/;

type Props = {
  value: string;
  variables: readonly string[];
  onChange: (text: string) => void;
  onLeave?: () => void;
  rows?: number;
  code?: boolean;
  /** The attributes that a Field gives its control. */
  id?: string;
  "aria-describedby"?: string;
  "aria-invalid"?: boolean | "true" | "false";
  "aria-label"?: string;
};

/** The completions of a started `{{ na`: names that begin with it come first. */
function offered(variables: readonly string[], begun: string): string[] {
  const like = variables.filter((name) => name.includes(begun));
  return like.sort((a, b) => Number(b.startsWith(begun)) - Number(a.startsWith(begun))).slice(0, SHOWN);
}

/** A text field that completes `{{` with the variables there are. */
export function TemplateText({ value, variables, onChange, onLeave, rows = 1, code = false, ...field }: Props) {
  const id = useId();
  const control = useRef<HTMLTextAreaElement>(null);
  const names = useSignal<string[]>([]);
  const at = useSignal(0);

  function look() {
    const begun = OPEN.exec(control.current!.value.slice(0, control.current!.selectionStart))?.[1];
    names.value = begun === undefined ? [] : offered(variables, begun);
    at.value = 0;
  }

  function choose(name: string) {
    const { value: text, selectionStart: caret } = control.current!;
    const from = caret - OPEN.exec(text.slice(0, caret))![0].length;
    const closed = /^\s*\}\}/.exec(text.slice(caret))?.[0].length ?? 0;
    control.current!.setRangeText(`{{ ${name} }}`, from, caret + closed, "end");
    names.value = [];
    onChange(control.current!.value);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (names.value.length === 0) {
      if (event.key === "Enter" && rows === 1 && !code) event.preventDefault(); // it is one line
      return;
    }
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = names.value[at.value]!;
    if (by) at.value = (at.value + by + names.value.length) % names.value.length;
    else if (event.key === "Enter" || event.key === "Tab") choose(chosen);
    else if (event.key === "Escape") names.value = [];
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div class="template-text">
      <textarea
        {...field}
        ref={control}
        rows={rows}
        class={[code && "code", rows > 2 && "long"].filter(Boolean).join(" ")}
        spellcheck={false}
        disabled={!mayChange.value}
        value={value}
        aria-autocomplete="list"
        aria-controls={names.value.length > 0 ? id : undefined}
        aria-activedescendant={names.value.length > 0 ? `${id}-${at.value}` : undefined}
        onInput={(event) => {
          onChange(event.currentTarget.value);
          look();
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          names.value = [];
          onLeave?.();
        }}
      />
      {names.value.length > 0 && (
        <ul role="listbox" id={id} aria-label={t("variables")}>
          {names.value.map((name, i) => (
            <li
              key={name}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === at.value}
              onMouseDown={(event) => {
                event.preventDefault(); // the field keeps the focus
                choose(name);
              }}
            >
              {name}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
