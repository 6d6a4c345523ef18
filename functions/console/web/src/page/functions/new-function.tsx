import { api, ask } from "~/api/client";
import { common, texts } from "~/text";
import { Input } from "~/ui/field";
import { FormDialog } from "~/ui/form-dialog";

const t = texts({
  title: ["New function", "新建云函数"],
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
  function save(form: FormData) {
    const body = { name: String(form.get("name")), remark: String(form.get("remark")), function_code: FIRST_CODE };
    return ask(api.POST("/oserve/v1.3/cloud-function/", { body }));
  }

  return (
    <FormDialog
      title={t("title")}
      draft="new-function"
      action={common("create")}
      open={open}
      onClose={onClose}
      onSave={save}
      onSaved={({ name }) => onMade(name)}
    >
      <Input label={common("name")} hint={t("nameHint")} name="name" required maxLength={64} autofocus />
      <Input label={t("remark")} name="remark" />
    </FormDialog>
  );
}
