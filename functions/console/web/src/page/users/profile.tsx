import { useSignal } from "@preact/signals";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { Editor } from "~/editor/editor";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { ErrorNote } from "~/ui/error-note";
import { Do } from "~/ui/form";
import { toast } from "~/ui/toast";
import { useDraft } from "~/ui/use-draft";

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
  const first = JSON.stringify(user, null, 2);
  const draft = useDraft<{ text: string; base: string }>(`profile/${user.id}`);
  const text = draft.kept.value?.text ?? first;
  const failure = useSignal<unknown>(undefined);

  async function save() {
    try {
      const base = JSON.parse(draft.kept.peek()?.base ?? first) as User; // what one has changed, not what others have
      const body = difference(base, JSON.parse(text) as User);
      if (Object.keys(body).length === 0) return toast(t("nothing"));
      await ask(api.PUT("/userve/v2.6/miniapp/user_profile/{id}/", { params: { path: { id: user.id } }, body }));
      failure.value = undefined;
      toast(common("saved"));
      await onSaved();
      draft.drop();
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
        value={text}
        onChange={(value) => (value === first ? draft.drop() : draft.keep(String(user.nickname || user.id), { base: first, ...draft.kept.peek(), text: value }))}
        onSave={save}
      />
      <p>
        <Do class="wa-brand" disabled={!mayChange.value} onClick={save}>
          {common("save")}
        </Do>
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
