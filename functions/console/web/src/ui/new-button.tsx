import type { LucideIcon } from "lucide-preact";
import { Plus } from "lucide-preact";
import type { VNode } from "preact";

import { mayChange } from "../session";
import { useKeys } from "../shell/keys";

type Options = { disabled?: boolean; icon?: LucideIcon };

/** The main button of a page that makes something new. The key c presses it. */
export function useNewButton(label: string, onClick: () => unknown, { disabled = !mayChange.value, icon: Icon = Plus }: Options = {}): VNode {
  useKeys([{ keys: "c", label, run: () => void (disabled || onClick()) }]);
  return (
    <button class="wa-brand" disabled={disabled} onClick={onClick} title={`${label} (c)`}>
      <Icon size={16} /> {label}
    </button>
  );
}
