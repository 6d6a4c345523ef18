import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { type Action, useAction } from "~/ui/action";
import { Badge } from "~/ui/badge";
import { ErrorNote } from "~/ui/error-note";
import { Field, Input } from "~/ui/field";
import { Form, Submit } from "~/ui/form";
import { toast } from "~/ui/toast";

const t = texts({
  keep: ["Leave empty to keep the current value.", "留空则保持不变。"],
  notSet: ["not set", "未设置"],
  pem: ["PEM, including the -----BEGIN and -----END lines.", "PEM 格式，从 -----BEGIN 到 -----END。"],
  remove: ["Remove {name}", "移除 {name}"],
  set: ["set", "已设置"],
});

/** A member of a setting. A secret is never shown again. */
export type Member = { name: string; label: string; kind: "line" | "lines" | "pem" | "secret" | "secret-pem"; hint?: string; maxLength?: number };

/** The changed members: the new text, or null for a removed secret. */
export type Change = Record<string, string | null>;

/** A form of a setting's members. What differs is saved, and nothing else. */
export function SettingForm({
  title,
  members,
  now,
  secrets = [],
  onSave,
}: {
  title: string;
  members: readonly Member[];
  now: Record<string, unknown>;
  /** The names of the secrets that are set. */
  secrets?: readonly string[];
  onSave: (change: Change) => Promise<void>;
}) {
  const action: Action = useAction();

  async function submit(said: FormData, form: HTMLFormElement): Promise<boolean> {
    const change = changeOf(said, members, now);
    const nothing = Object.keys(change).length === 0;
    if (!nothing && !(await action.run(() => onSave(change)))) return false;
    form.reset();
    toast(nothing ? common("noChanges") : common("saved"));
    return true;
  }

  return (
    <Form class="card part" aria-label={title} draft={`setting/${title}`} name={title} onSubmit={submit}>
      <fieldset disabled={!mayChange.value || action.busy.value}>
        {members.map((member) => (
          <MemberField key={member.name} member={member} now={String(now[member.name] ?? "")} isSet={secrets.includes(member.name)} />
        ))}
        <ErrorNote error={action.failure.value} />
        <Submit class="wa-brand">{common("save")}</Submit>
      </fieldset>
    </Form>
  );
}

function MemberField({ member, now, isSet }: { member: Member; now: string; isSet: boolean }) {
  const { name, label, kind, maxLength = 8192 } = member;
  const props = { name, maxLength, autocomplete: "off", spellcheck: false };
  if (kind === "line") {
    return (
      <Input label={label} hint={member.hint} {...props} defaultValue={now} />
    );
  }
  if (kind === "lines" || kind === "pem") {
    return (
      <Field label={label} hint={member.hint ?? t("pem")}>
        <textarea rows={4} {...props} defaultValue={now} />
      </Field>
    );
  }

  const hint = (
    <>
      <Badge tone={isSet ? "good" : "quiet"}>{isSet ? t("set") : t("notSet")}</Badge> {[member.hint, isSet && t("keep")].filter(Boolean).join(" ")}
    </>
  );
  return (
    <>
      <Field label={label} hint={hint}>
        {kind === "secret" ? <input type="password" {...props} autocomplete="new-password" /> : <textarea rows={4} {...props} data-secret />}
      </Field>
      {isSet && (
        <label class="row remove">
          <input type="checkbox" name={"remove " + name} /> {t("remove", { name: label })}
        </label>
      )}
    </>
  );
}

function changeOf(said: FormData, members: readonly Member[], now: Record<string, unknown>): Change {
  const change: Change = {};
  for (const { name, kind } of members) {
    // A textarea's lines end as forms send them; PEM has plain ones.
    const typed = String(said.get(name) ?? "").replaceAll("\r\n", "\n");
    if (!kind.startsWith("secret")) {
      if (typed !== String(now[name] ?? "")) change[name] = typed;
    } else if (said.has("remove " + name)) change[name] = null;
    else if (typed !== "") change[name] = typed;
  }
  return change;
}
