import { useSignal } from "@preact/signals";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { Editor } from "~/editor/editor";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { ErrorNote } from "~/ui/error-note";
import { toast } from "~/ui/toast";

type User = components["schemas"]["User"];

const t = texts({
  fields: ["Fields", "字段"],
  hint: [
    "Fields that you define can be changed; what the platform keeps (nickname, openid, times) is refused.",
    "可修改自定义字段；平台维护的字段（昵称、openid、时间）会被拒绝。",
  ],
  nothing: ["Nothing is different.", "没有改动。"],
});

/** A user's fields as JSON. What was changed is sent, and nothing else. */
export function Profile({ user, onSaved }: { user: User; onSaved: () => Promise<void> }) {
  const text = useSignal(JSON.stringify(user, null, 2));
  const failure = useSignal<unknown>(undefined);

  async function save() {
    try {
      const body = difference(user, JSON.parse(text.value) as User);
      if (Object.keys(body).length === 0) return toast(t("nothing"));
      await ask(api.PUT("/userve/v2.6/miniapp/user_profile/{id}/", { params: { path: { id: user.id } }, body }));
      failure.value = undefined;
      toast(common("saved"));
      await onSaved();
    } catch (error) {
      failure.value = error;
    }
  }

  return (
    <>
      <p class="hint">{t("hint")}</p>
      <ErrorNote error={failure.value} />
      <Editor
        label={t("fields")}
        language="json"
        readOnly={!mayChange.value}
        value={text.value}
        onChange={(value) => (text.value = value)}
        onSave={save}
      />
      <p>
        <button class="wa-brand" disabled={!mayChange.value} onClick={save}>
          {common("save")}
        </button>
      </p>
    </>
  );
}

/** The fields of after that before does not have or has differently; null where after lacks one. */
function difference(before: User, after: User): Record<string, unknown> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]));
}
