import { signal, useSignal } from "@preact/signals";

import { inProduction } from "../place";
import { common, texts } from "../text";
import { Dialog } from "./dialog";
import { Field } from "./field";

const t = texts({
  type: ["Type {name} to confirm", "请输入 {name} 以继续"],
  typeHere: ["This is production. Type {name} to confirm.", "请输入 {name} 以继续：这是生产环境"],
});

/** A question before something that cannot be taken back. */
export type Question = {
  title: string;
  text: string;
  action: string;
  name?: string;
  /** Requires typing the name in every environment, for actions with an effect beyond this one. */
  everywhere?: boolean;
};
type Pending = Question & { answer: (yes: boolean) => void };

const question = signal<Pending | undefined>(undefined);

/** Asks before something that cannot be taken back. With a name, production wants it typed. */
export function confirm(asked: Question): Promise<boolean> {
  return new Promise((answer) => (question.value = { ...asked, answer }));
}

/** The dialog of confirm; the shell has one. */
export function Confirmation() {
  const typed = useSignal("");
  const asked = question.value;
  const wanted = inProduction.value || asked?.everywhere ? asked?.name : undefined;

  function answer(yes: boolean) {
    question.value = undefined;
    typed.value = "";
    asked?.answer(yes);
  }

  return (
    <Dialog title={asked?.title ?? ""} open={asked !== undefined} onClose={() => asked && answer(false)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          answer(true);
        }}
      >
        <p>{asked?.text}</p>
        {wanted && (
          <Field label={t(asked?.everywhere ? "type" : "typeHere", { name: wanted })}>
            <input type="text" autocomplete="off" autofocus value={typed} onInput={(event) => (typed.value = event.currentTarget.value)} />
          </Field>
        )}
        <div class="dialog-foot">
          <button type="button" onClick={() => answer(false)}>
            {common("cancel")}
          </button>
          <button class="wa-danger" disabled={wanted !== undefined && typed.value !== wanted}>
            {asked?.action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
