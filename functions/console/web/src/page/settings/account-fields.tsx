import { session } from "~/session";
import { common, texts } from "~/text";
import { Field } from "~/ui/field";
import { type Role, ROLES, roleWords } from "./role";

const t = texts({
  all: ["Select none to give access to all applications, including future ones.", "不选表示全部应用，包括以后新建的。"],
  applications: ["Applications", "应用"],
  role: ["Role", "角色"],
});

/** What an administrator is, in a form. */
export type Draft = { name: string; role: Role; applications: number[] };

/** Name, role and applications of an administrator. */
export function AccountFields({ name, role, applications }: Draft) {
  return (
    <>
      <Field label={common("name")}>
        <input name="name" type="text" required maxLength={64} autocomplete="off" defaultValue={name} />
      </Field>
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
        {session.value?.applications.map((app) => (
          <label key={app.id} class="row">
            <input type="checkbox" name="applications" value={String(app.id)} defaultChecked={applications.includes(app.id)} />
            <span class="clip">{app.name}</span>
          </label>
        ))}
        <p class="hint">{t("all")}</p>
      </fieldset>
    </>
  );
}

/** What was typed and chosen in AccountFields. */
export function draftOf(form: FormData): Draft {
  return {
    name: String(form.get("name")),
    role: form.get("role") as Role,
    applications: form.getAll("applications").map(Number),
  };
}
