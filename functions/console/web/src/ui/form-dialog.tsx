import type { ComponentChildren } from "preact";

import { common } from "../text";
import { useAction } from "./action";
import { Dialog } from "./dialog";
import { ErrorNote } from "./error-note";
import { Form, Submit } from "./form";
import { useDraft } from "./use-draft";

type Asked<Made> = {
  title: string;
  onClose: () => void;
  /** The key of unsaved input, as of a Form. */
  draft?: string;
  /** The label of the button that saves. */
  action?: string;
  /** Saves the input; its error is shown, and the dialog stays open. */
  onSave: (said: FormData) => Promise<Made>;
  /** Is called after the dialog was closed, because the next page may ask about unsaved input. */
  onSaved?: (made: Made) => unknown;
  children: ComponentChildren;
};

/** A dialog with a form: it closes when its input is saved. */
export function FormDialog<Made>({ open, wide, ...asked }: Asked<Made> & { open: boolean; wide?: boolean }) {
  return (
    <Dialog title={asked.title} open={open} onClose={asked.onClose} wide={wide}>
      <Fields {...asked} />
    </Dialog>
  );
}

function Fields<Made>({ title, onClose, draft = "", action = common("save"), onSave, onSaved, children }: Asked<Made>) {
  const saving = useAction();
  const typed = useDraft("form/" + draft);

  async function submit(said: FormData): Promise<boolean> {
    return saving.run(async () => {
      const made = await onSave(said);
      typed.drop();
      onClose();
      await onSaved?.(made);
    });
  }

  return (
    <Form draft={draft} name={title} onSubmit={submit}>
      {children}
      <ErrorNote error={saving.failure.value} />
      <div class="dialog-foot">
        <button type="button" onClick={onClose}>
          {common("cancel")}
        </button>
        <Submit class="wa-brand">{action}</Submit>
      </div>
    </Form>
  );
}
