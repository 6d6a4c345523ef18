import { Plus, X } from "lucide-preact";
import type { ComponentChildren } from "preact";

import { mayChange } from "~/session";
import { common } from "~/text";

type LineProps = { name: string; bare?: boolean; onRemove?: () => void; more?: ComponentChildren; children: ComponentChildren };

/** A line of fields in a list, such as a rule or a recipient, with the button that removes it. */
export function Line({ name, bare = false, onRemove, more, children }: LineProps) {
  return (
    <div class={bare ? "rule rule-bare" : "rule"}>
      <div class="rule-fields">{children}</div>
      {onRemove && (
        <button type="button" class="icon" disabled={!mayChange.value} aria-label={`${common("delete")} ${name}`} onClick={onRemove}>
          <X size={16} />
        </button>
      )}
      {more}
    </div>
  );
}

/** The button below a list of lines that adds one. */
export function AddLine({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <p>
      <button type="button" disabled={!mayChange.value} onClick={onClick}>
        <Plus size={16} /> {label}
      </button>
    </p>
  );
}
