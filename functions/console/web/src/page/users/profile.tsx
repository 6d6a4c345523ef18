import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { changedValues, FieldInputs, type Typed } from "~/page/tables/field-inputs";
import { link, place } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { ErrorNote } from "~/ui/error-note";
import { Form, Submit } from "~/ui/form";
import { Json } from "~/ui/json";
import { Load, useLoad } from "~/ui/load";
import { toast } from "~/ui/toast";
import { useDraft } from "~/ui/use-draft";

type User = components["schemas"]["User"];
type Column = components["schemas"]["Column"];

const t = texts({
  all: ["All fields", "全部字段"],
  define: ["Add a field", "定义字段"],
  none: ["No custom fields yet. The built-in fields are listed below.", "还没有自定义字段。平台维护的字段见下方。"],
});

const USERS = "_userprofile";

/** A user's custom fields, by the columns of the users table. Fields of the platform are read-only. */
export function Profile({ user, onSaved }: { user: User; onSaved: () => Promise<void> }) {
  const table = useLoad(() => ask(api.GET("/oserve/v1.8/table/{table}/", { params: { path: { table: USERS } } })), [place.value]);
  return (
    <>
      <Load from={table}>
        {({ schema }) => <Fields key={user.updated_at} user={user} columns={schema.fields.filter((column) => !column.built_in)} onSaved={onSaved} />}
      </Load>
      <h2>{t("all")}</h2>
      <Json value={user} />
    </>
  );
}

function Fields({ user, columns, onSaved }: { user: User; columns: Column[]; onSaved: () => Promise<void> }) {
  const draft = useDraft<Record<string, string>>(`profile/${user.id}`);
  const typed: Typed = {
    get value() {
      return new Map(Object.entries(draft.kept.value ?? {}));
    },
    set value(next) {
      draft.keep(String(user.nickname || user.id), Object.fromEntries(next));
    },
  };
  const action = useAction();

  async function save() {
    const body = changedValues(columns, user, typed);
    if (Object.keys(body).length === 0) return void toast(common("noChanges"));
    await action.run(async () => {
      await ask(api.PUT("/userve/v2.6/miniapp/user_profile/{id}/", { params: { path: { id: user.id } }, body }));
      toast(common("saved"));
      draft.drop();
      await onSaved();
    });
  }

  if (columns.length === 0) {
    return (
      <p class="quiet">
        {t("none")} <a href={link("tables", USERS) + "?tab=columns"}>{t("define")}</a>
      </p>
    );
  }
  return (
    <Form class="card narrow fields" onSubmit={save}>
      <FieldInputs columns={columns} values={user} typed={typed} />
      <ErrorNote error={action.failure.value} />
      <Submit class="wa-brand" disabled={!mayChange.value}>
        {common("save")}
      </Submit>
    </Form>
  );
}
