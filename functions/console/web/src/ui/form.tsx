import { useSignal } from "@preact/signals";
import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef } from "preact/hooks";

import { texts } from "../text";
import { confirm } from "./confirm";
import { useDraft } from "./use-draft";

const t = texts({
  discard: ["Discard", "放弃"],
  text: ["What you entered will be lost.", "已输入的内容将丢失。"],
  title: ["Discard your changes?", "放弃更改？"],
});

const Busy = createContext(false);

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
type Typed = [name: string, value: string | boolean][];
type Kept = { typed: Typed; base: string };

/** Fields that are never kept: passwords, fields marked as secret, and files, which only a person can choose. */
const isSecret = (field: Control): boolean => field.matches("[type=password], [type=file], [data-secret]");

const fieldsOf = (form: HTMLFormElement): Control[] =>
  [...form.elements].filter((field): field is Control => field.matches("input, select, textarea") && (field as Control).name !== "");

const isBox = (field: Control): field is HTMLInputElement => field.matches("[type=checkbox], [type=radio]");

const typedIn = (form: HTMLFormElement): Typed =>
  fieldsOf(form).map((field) => [isBox(field) ? `${field.name} ${field.value}` : field.name, isBox(field) ? field.checked : field.value]);

const withoutSecrets = (form: HTMLFormElement): Typed => {
  const secret = new Set(fieldsOf(form).filter(isSecret).map((field) => field.name));
  return typedIn(form).filter(([name]) => !secret.has(name));
};

/** Restores kept texts with the events of typing, so that dependent fields react. */
function typeAgain(form: HTMLFormElement, typed: Typed): void {
  const values = new Map(typed);
  for (const field of fieldsOf(form)) {
    const value = values.get(isBox(field) ? `${field.name} ${field.value}` : field.name);
    if (value === undefined || isSecret(field)) continue;
    if (isBox(field)) field.checked = value as boolean;
    else field.value = value as string;
    for (const type of ["input", "change"]) if (!isBox(field) || field.checked === value) field.dispatchEvent(new Event(type, { bubbles: true }));
  }
}

type Props = Omit<JSX.HTMLAttributes<HTMLFormElement>, "onSubmit" | "name"> & {
  /** The key of unsaved input within the account and environment. Without a key nothing is kept. */
  draft?: string;
  /** The name of the form, for the question before leaving it. */
  name?: string;
  /** The version that the fields show. */
  base?: string;
  /** Saves the input, based on a version; false or a thrown error means that it is not saved. */
  onSubmit: (said: FormData, form: HTMLFormElement, base: string) => Promise<unknown>;
  children: ComponentChildren;
};

/**
 * A form of fields with names. What is typed is kept until it is saved or discarded: leaving the page asks first, a
 * reload brings it back. While it is written its Submit is disabled, and it is not sent again.
 */
export function Form({ draft = "", name = "", base = "", onSubmit, children, ...props }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const busy = useSignal(false);
  const handle = useDraft<Kept>("form/" + draft);
  /** The fields as they are saved. */
  const saved = useRef("");

  useLayoutEffect(() => {
    const own = form.current!;
    saved.current = JSON.stringify(typedIn(own));
    const kept = draft && handle.kept.peek();
    if (kept) typeAgain(own, kept.typed);

    const dialog = own.closest("dialog");
    const onCancel = (event: Event) => {
      if (event.target !== dialog || !handle.kept.peek()) return;
      event.preventDefault();
      void confirm({ title: t("title"), text: t("text"), action: t("discard") }).then((sure) => sure && dialog?.close());
    };
    dialog?.addEventListener("cancel", onCancel);
    return () => {
      dialog?.removeEventListener("cancel", onCancel);
      if (dialog) handle.drop(); // closing a dialog discards its draft
    };
  }, [handle]);

  function note() {
    if (!draft) return;
    if (JSON.stringify(typedIn(form.current!)) === saved.current) handle.drop();
    else handle.keep(name, { base, ...handle.kept.peek(), typed: withoutSecrets(form.current!) });
  }

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (busy.value) return;
    const own = event.currentTarget as HTMLFormElement;
    const said = new FormData(own);
    busy.value = true;
    try {
      if ((await onSubmit(said, own, handle.kept.peek()?.base ?? base)) === false) return;
      handle.drop();
      setTimeout(() => form.current && (saved.current = JSON.stringify(typedIn(form.current)))); // as it is rendered then
    } finally {
      busy.value = false;
    }
  }

  return (
    <form {...props} ref={form} onInput={note} onChange={note} onSubmit={submit}>
      <Busy.Provider value={busy.value}>{children}</Busy.Provider>
    </form>
  );
}

/** Gives the focus back to a button that was disabled while it had it. */
function useFocusBack(busy: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const was = useRef(false);
  useEffect(() => {
    if (was.current && !busy && document.activeElement === document.body) button.current?.focus();
    was.current = busy;
  }, [busy]);
  return button;
}

type ButtonProps = Omit<JSX.HTMLAttributes<HTMLButtonElement>, "onClick"> & { disabled?: boolean; type?: "button" | "submit" };

/** The button that sends a Form: disabled while it is written. */
export function Submit({ disabled, children, ...props }: ButtonProps) {
  const busy = useContext(Busy);
  const button = useFocusBack(busy);
  return (
    <button {...props} ref={button} disabled={disabled || busy} aria-busy={busy || undefined}>
      {children}
    </button>
  );
}

/** A button that writes, disabled while its action runs. */
export function Do({ disabled, onClick, children, ...props }: ButtonProps & { onClick: () => unknown }) {
  const busy = useSignal(false);
  const button = useFocusBack(busy.value);

  async function act() {
    if (busy.value) return;
    busy.value = true;
    try {
      await onClick();
    } finally {
      busy.value = false;
    }
  }

  return (
    <button type="button" {...props} ref={button} disabled={disabled || busy.value} aria-busy={busy.value || undefined} onClick={act}>
      {children}
    </button>
  );
}
