import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

import { useFilter } from "./filter";

/** A tab; its panel is rendered when it is selected. */
export type Tab = { key: string; label: string; panel: () => ComponentChildren };

/** On a phone the tabs are wider than the window: the chosen one is moved into sight. */
export function showTab(tab: HTMLElement | null): void {
  const strip = tab?.parentElement;
  if (!tab || !strip) return;
  const right = tab.offsetLeft + tab.offsetWidth - strip.offsetLeft;
  if (right > strip.clientWidth + strip.scrollLeft || tab.offsetLeft - strip.offsetLeft < strip.scrollLeft) strip.scrollLeft = right - strip.clientWidth / 2;
}

/** Tabs as WAI-ARIA describes them: arrows move, the panel follows. The address says which one, so that links lead to it. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const id = useId();
  const chosen = useFilter("tab", tabs[0]?.key ?? "");
  const at = Math.max(0, tabs.findIndex((tab) => tab.key === chosen.value));

  function onKeyDown(event: KeyboardEvent) {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const next = tabs[(at + by + tabs.length) % tabs.length]!;
    chosen.value = next.key;
    document.getElementById(id + next.key)?.focus();
  }

  return (
    <>
      <div role="tablist" aria-label={label} class="tabs" onKeyDown={onKeyDown}>
        {tabs.map((tab, i) => (
          <button
            key={tab.key}
            type="button"
            role="tab"
            id={id + tab.key}
            ref={i === at ? showTab : undefined}
            aria-selected={i === at}
            aria-controls={id + "panel"}
            tabIndex={i === at ? 0 : -1}
            onClick={() => (chosen.value = tab.key)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={id + "panel"} aria-labelledby={id + tabs[at]?.key} tabIndex={0}>
        {tabs[at]?.panel()}
      </div>
    </>
  );
}
