const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

/**
 * Keeps the focus where the reader is: when the element that has it is removed or disabled, the browser gives it to the
 * body, and the keyboard begins at the top again. Here the closest of its ancestors that can take it gets it, else the page.
 */
export function keepFocusNear(): void {
  let trail: HTMLElement[] = [];
  let opener: HTMLElement | undefined; // the element with the focus before the dialog

  addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    const dialog = target.closest("dialog");
    if (!dialog) opener = target;
    trail = upwards(target);
    if (dialog && opener) trail.splice(trail.indexOf(dialog) + 1, 0, ...upwards(opener));
  });
  addEventListener("pointerdown", () => (trail = [])); // a click beside all controls moves the focus nowhere

  const observer = new MutationObserver(() => {
    if (trail.length === 0 || (document.activeElement ?? document.body) !== document.body) return;
    for (const element of [...trail, document.getElementById("main")]) {
      if (!element?.isConnected || !element.checkVisibility() || !element.matches(FOCUSABLE)) continue;
      element.focus({ preventScroll: true });
      if (document.activeElement === element) return;
    }
  });
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled", "open"] });
}

/** An element and its ancestors, the closest first. */
function upwards(element: HTMLElement): HTMLElement[] {
  const found = [];
  for (let at: HTMLElement | null = element; at; at = at.parentElement) found.push(at);
  return found;
}
