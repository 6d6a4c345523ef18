import { X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

import { common } from "../text";

/** The browser's own modal dialog: it holds the focus, and Escape closes it. */
export function Dialog({
  title,
  open,
  onClose,
  children,
  footer,
  wide = false,
}: {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ComponentChildren;
  footer?: ComponentChildren;
  wide?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();

  useLayoutEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open) dialog.current?.close();
  }, [open]);

  /** Its cross asks as Escape does. */
  function cross() {
    if (dialog.current!.dispatchEvent(new Event("cancel", { cancelable: true }))) onClose();
  }

  return (
    <dialog ref={dialog} tabIndex={-1} class={wide ? "wide" : ""} aria-labelledby={id} onClose={onClose}>
      {open && (
        <>
          <div class="dialog-head">
            <h2 id={id}>{title}</h2>
            <button type="button" class="icon" aria-label={common("close")} onClick={cross}>
              <X size={16} />
            </button>
          </div>
          {children}
          {footer && <div class="dialog-foot">{footer}</div>}
        </>
      )}
    </dialog>
  );
}
