import { useSignal } from "@preact/signals";

import { api, ask } from "~/api/client";
import { common, texts } from "~/text";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Field } from "~/ui/field";
import { Form, Submit } from "~/ui/form";
import { useDraft } from "~/ui/use-draft";

const t = texts({
  title: ["New function", "新建云函数"],
  name: ["Name", "名称"],
  nameHint: ["Starts with a letter. Letters, digits, _, -, and dots are allowed.", "以字母开头，可含字母、数字、_、- 和点。"],
  remark: ["Remark", "备注"],
});

const FIRST_CODE = `exports.main = async (event) => {
  console.log("called with", event.data)
  return { hello: event.data.name ?? "world" }
}
`;

/** Asks for a name and makes a function that can be run at once. */
export function NewFunction({ open, onClose, onMade }: { open: boolean; onClose: () => void; onMade: (name: string) => void }) {
  const failure = useSignal<unknown>(undefined);
  const draft = useDraft("form/new-function");

  async function submit(form: FormData): Promise<boolean> {
    const body = { name: String(form.get("name")), remark: String(form.get("remark")), function_code: FIRST_CODE };
    try {
      const made = await ask(api.POST("/oserve/v1.3/cloud-function/", { body }));
      failure.value = undefined;
      draft.drop();
      onClose();
      onMade(made.name);
      return true;
    } catch (error) {
      failure.value = error;
      return false;
    }
  }

  return (
    <Dialog title={t("title")} open={open} onClose={onClose}>
      <Form draft="new-function" name={t("title")} onSubmit={submit}>
        <Field label={t("name")} hint={t("nameHint")}>
          <input name="name" type="text" required maxLength={64} autofocus autocomplete="off" />
        </Field>
        <Field label={t("remark")}>
          <input name="remark" type="text" autocomplete="off" />
        </Field>
        <ErrorNote error={failure.value} />
        <div class="dialog-foot">
          <button type="button" onClick={onClose}>
            {common("cancel")}
          </button>
          <Submit class="wa-brand">{common("create")}</Submit>
        </div>
      </Form>
    </Dialog>
  );
}
