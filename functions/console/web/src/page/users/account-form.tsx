import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { ErrorNote } from "~/ui/error-note";
import { Field, Input } from "~/ui/field";
import { Form, Submit } from "~/ui/form";
import { toast } from "~/ui/toast";

type User = components["schemas"]["User"];

const t = texts({
  hint: ["Empty fields stay unchanged.", "留空的项保持不变。"],
  password: ["New password", "新密码"],
  passwordHint: ["6 to 128 characters. Signs the user out on all devices.", "6 到 128 个字符；所有设备将退出登录。"],
  phone: ["Phone", "手机号"],
  username: ["Username", "用户名"],
});

/** The sign-in data of a user. The platform never shows it, so only fields with a text are changed. */
export function AccountForm({ user, onSaved }: { user: User; onSaved: () => Promise<void> }) {
  const action = useAction();

  async function save(said: FormData, form: HTMLFormElement): Promise<boolean> {
    const typed = [...said].filter(([, value]) => value !== "");
    const body = Object.fromEntries(typed) as Record<string, string>;
    return action.run(async () => {
      await ask(api.PUT("/userve/v2.2/miniapp/user/account/{id}/", { params: { path: { id: user.id } }, body }));
      form.reset();
      toast(common("saved"));
      await onSaved();
    });
  }

  return (
    <Form class="card narrow" draft={`user/${user.id}`} name={String(user.nickname || user.id)} onSubmit={save}>
      <p class="hint">{t("hint")}</p>
      <fieldset disabled={!mayChange.value}>
        <Input label={t("username")} name="username" maxLength={128} />
        <Input label={common("email")} name="email" type="email" maxLength={254} />
        <Input label={t("phone")} name="phone" type="tel" />
        <Field label={t("password")} hint={t("passwordHint")}>
          <input name="new_password" type="password" minLength={6} maxLength={128} autocomplete="new-password" />
        </Field>
        <Submit class="wa-brand">{common("save")}</Submit>
      </fieldset>
      <ErrorNote error={action.failure.value} />
    </Form>
  );
}
