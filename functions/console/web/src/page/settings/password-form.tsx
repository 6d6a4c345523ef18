import { api, ask } from "~/api/client";
import { ownsAll } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { ErrorNote } from "~/ui/error-note";
import { Field, Input } from "~/ui/field";
import { Form, Submit } from "~/ui/form";
import { toast } from "~/ui/toast";

const t = texts({
  hint: ["10 to 128 characters.", "10 到 128 个字符。"],
  new: ["New password", "新密码"],
  old: ["Current password", "旧密码"],
  otherEnd: ["This signs them out everywhere.", "对方将在所有设备退出登录。"],
  ownEnd: ["This signs you out everywhere else.", "你将在其他设备退出登录。"],
  title: ["Password", "密码"],
});

/** Changes one's own password, which takes the old one, or resets another's. */
export function PasswordForm({ account, own }: { account: number; own: boolean }) {
  const action = useAction();

  async function save(said: FormData, form: HTMLFormElement): Promise<boolean> {
    const body = { new_password: String(said.get("new")), ...(own && { old_password: String(said.get("old")) }) };
    return action.run(async () => {
      await ask(api.PUT("/console/api/account/{account}/password/", { params: { path: { account } }, body }));
      form.reset();
      toast(common("saved"));
    });
  }

  return (
    <Form class="card part" draft={`password/${account}`} name={t("title")} onSubmit={save}>
      <h2>{t("title")}</h2>
      <fieldset disabled={(!own && !ownsAll.value) || action.busy.value}>
        {own && (
          <Input label={t("old")} name="old" type="password" required autocomplete="current-password" />
        )}
        <Field label={t("new")} hint={`${t("hint")} ${own ? t("ownEnd") : t("otherEnd")}`}>
          <input name="new" type="password" required minLength={10} maxLength={128} autocomplete="new-password" />
        </Field>
        <Submit>{common("save")}</Submit>
      </fieldset>
      <ErrorNote error={action.failure.value} />
    </Form>
  );
}
