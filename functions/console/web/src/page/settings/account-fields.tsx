import { useSignal } from "@preact/signals";

import { session } from "~/session";
import { common, texts } from "~/text";
import { Field, Input } from "~/ui/field";
import { type Role, ROLES, roleWords } from "./role";

const t = texts({
  all: ["All applications, including future ones", "全部应用，包括以后新建的"],
  none: ["None selected: the account has no access to any application.", "未选择：无法访问任何应用。"],
  some: ["Selected applications", "仅以下应用"],
  applications: ["Applications", "应用"],
  role: ["Role", "角色"],
});

/** The form of an administrator. */
export type Draft = { name: string; role: Role; all_applications: boolean; applications: number[] };

/** Name, role and applications of an administrator. */
export function AccountFields({ name, role, all_applications, applications }: Draft) {
  const all = useSignal(all_applications);
  const chosen = useSignal<readonly number[]>(applications);
  const choose = (id: number, yes: boolean) => (chosen.value = yes ? [...chosen.value, id] : chosen.value.filter((other) => other !== id));

  return (
    <>
      <Input label={common("name")} name="name" required maxLength={64} defaultValue={name} />
      <Field label={t("role")} hint={ROLES.map((each) => `${roleWords(each)}: ${roleWords(`${each}May`)}`).join(" · ")}>
        <select name="role" defaultValue={role}>
          {ROLES.map((each) => (
            <option key={each} value={each} selected={each === role}>
              {roleWords(each)}
            </option>
          ))}
        </select>
      </Field>
      <fieldset class="field">
        <legend>{t("applications")}</legend>
        {[true, false].map((each) => (
          <label key={String(each)} class="row">
            <input type="radio" name="access" value={each ? "all" : "some"} checked={all.value === each} onChange={() => (all.value = each)} />
            {t(each ? "all" : "some")}
          </label>
        ))}
        <fieldset class="inner" disabled={all.value}>
          {session.value?.applications.map((app) => (
            <label key={app.id} class="row">
              <input
                type="checkbox"
                name="applications"
                value={String(app.id)}
                checked={chosen.value.includes(app.id)}
                onChange={(event) => choose(app.id, event.currentTarget.checked)}
              />
              <span class="clip theirs">{app.name}</span>
            </label>
          ))}
        </fieldset>
        {!all.value && chosen.value.length === 0 && (
          <p class="hint bad" role="status">
            {t("none")}
          </p>
        )}
      </fieldset>
    </>
  );
}

/** The content of AccountFields. */
export function draftOf(form: FormData): Draft {
  return {
    name: String(form.get("name")),
    role: form.get("role") as Role,
    all_applications: form.get("access") === "all",
    applications: form.getAll("applications").map(Number), // of a disabled fieldset there are none
  };
}
