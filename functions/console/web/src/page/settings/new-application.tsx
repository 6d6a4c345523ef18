import { useSignal } from "@preact/signals";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { refresh } from "~/session";
import { common, texts } from "~/text";
import { Dialog } from "~/ui/dialog";
import { Input } from "~/ui/field";
import { FormDialog } from "~/ui/form-dialog";
import { Credentials } from "./credentials";

type Application = components["schemas"]["Application"];

const t = texts({
  made: ["Created {name}", "{name} 已创建"],
  nameHint: ["1 to 64 characters. You can change it later.", "1 到 64 个字符；以后可以修改。"],
  title: ["New application", "新建应用"],
});

/** Asks for a name, makes an application with its production environment, and shows its credentials once. */
export function NewApplication({ open, onClose, onMade }: { open: boolean; onClose: () => void; onMade: (id: number) => void }) {
  const made = useSignal<Application | undefined>(undefined);
  const save = (said: FormData) => ask(api.POST("/console/api/application/", { body: { name: String(said.get("name")) } }));

  async function done() {
    const id = made.value?.id;
    made.value = undefined;
    if (id === undefined) return;
    await refresh();
    onMade(id);
  }

  return (
    <>
      <FormDialog
        title={t("title")}
        draft="new-application"
        action={common("create")}
        open={open}
        onClose={onClose}
        onSave={save}
        onSaved={(it) => (made.value = it)}
      >
        <Input label={common("name")} hint={t("nameHint")} name="name" required maxLength={64} autofocus />
      </FormDialog>
      <Dialog title={t("made", { name: made.value?.name ?? "" })} open={made.value !== undefined} onClose={done}>
        <Credentials clientID={made.value?.client_id ?? ""} secret={made.value?.client_secret ?? ""} onKept={done} />
      </Dialog>
    </>
  );
}
