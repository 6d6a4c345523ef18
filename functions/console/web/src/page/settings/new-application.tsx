import { useSignal } from "@preact/signals";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { refresh } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Field } from "~/ui/field";
import { Form, Submit } from "~/ui/form";
import { Credentials } from "./credentials";

type Application = components["schemas"]["Application"];

const t = texts({
  made: ["Created {name}", "{name} 已创建"],
  nameHint: ["1 to 64 characters. You can change it later.", "1 到 64 个字符；以后可以修改。"],
  title: ["New application", "新建应用"],
});

/** Asks for a name, makes an application with its production environment, and shows its credentials once. */
export function NewApplication({ open, onClose, onMade }: { open: boolean; onClose: () => void; onMade: (id: number) => void }) {
  const action = useAction();
  const made = useSignal<Application | undefined>(undefined);

  async function submit(said: FormData): Promise<boolean> {
    const name = String(said.get("name"));
    return action.run(async () => {
      made.value = await ask(api.POST("/console/api/application/", { body: { name } }));
    });
  }

  async function done() {
    const id = made.value?.id;
    made.value = undefined;
    onClose();
    if (id === undefined) return;
    await refresh();
    onMade(id);
  }

  return (
    <Dialog title={made.value ? t("made", { name: made.value.name }) : t("title")} open={open} onClose={done}>
      {made.value ? (
        <Credentials clientID={made.value.client_id} secret={made.value.client_secret ?? ""} onKept={done} />
      ) : (
        <Form draft="new-application" name={t("title")} onSubmit={submit}>
          <Field label={common("name")} hint={t("nameHint")}>
            <input name="name" type="text" required maxLength={64} autofocus autocomplete="off" />
          </Field>
          <ErrorNote error={action.failure.value} />
          <div class="dialog-foot">
            <button type="button" onClick={done}>
              {common("cancel")}
            </button>
            <Submit class="wa-brand">{common("create")}</Submit>
          </div>
        </Form>
      )}
    </Dialog>
  );
}
