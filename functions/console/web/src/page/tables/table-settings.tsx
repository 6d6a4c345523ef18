import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { confirm } from "~/ui/confirm";
import { ErrorNote } from "~/ui/error-note";
import { Field, Input } from "~/ui/field";
import { Do, Form, Submit } from "~/ui/form";
import { useDraft } from "~/ui/use-draft";
import { useTableWrite } from "./use-table-write";

type Table = components["schemas"]["Table"];

const t = texts({
  builtIn: ["This is a built-in table. It can't be renamed or deleted.", "这是平台内置数据表，不可改名或删除。"],
  delete: ["Delete table", "删除数据表"],
  deleteText: ["All rows become inaccessible immediately, and triggers on this table will break. This can't be undone.", "所有数据立即不可访问，相关触发器失效，且无法恢复。"],
  deleteTitle: ["Delete the table {name}?", "删除数据表 {name}？"],
  hint: [
    "Separate entries with commas: user:* (all signed-in users), user:anonymous (everyone), user:123 (one user), gid:5 (a group). Leave empty to allow only functions and administrators.",
    "以逗号分隔：user:* 为所有注册用户，user:anonymous 为任何人，user:123 为某个用户，gid:5 为某个用户组。留空表示仅云函数与管理员。",
  ],
  nameHint: ["Update the programs that use this name. The table ID stays the same.", "使用该名称的程序需同步修改；ID 不变。"],
  read: ["Who can read new rows", "新行的读权限"],
  rows: ["Existing rows keep their own permissions.", "已有数据保留各自的权限。"],
  write: ["Who can change new rows", "新行的写权限"],
  writePerm: ["Who can add rows", "谁可以新增数据"],
});

/** The name of a table, its permissions, and its deletion. */
export function TableSettings({ table, tag, onSaved }: { table: Table; tag: string; onSaved: () => Promise<void> }) {
  const failure = useSignal<unknown>(undefined);
  const { route } = useLocation();
  const isUsers = table.name === "_userprofile";
  const params = { path: { table: String(table.id) } };

  const draft = useDraft(`form/table/${table.id}`);
  const { write, conflict } = useTableWrite(table, onSaved, draft.drop);

  async function attempt(work: () => Promise<boolean>): Promise<boolean> {
    try {
      failure.value = undefined;
      return await work();
    } catch (error) {
      failure.value = error;
      return false;
    }
  }

  function save(said: FormData, _: HTMLFormElement, base: string) {
    const list = (name: string) => String(said.get(name)).split(",").map((part) => part.trim()).filter(Boolean);
    const body = {
      ...(isUsers ? {} : { name: String(said.get("name")) }),
      write_perm: list("write_perm"),
      default_row_perm: { _read_perm: list("read"), _write_perm: list("write") },
    };
    return attempt(() => write(body, base));
  }

  async function remove() {
    const { name } = table;
    if (!(await confirm({ title: t("deleteTitle", { name }), text: t("deleteText"), action: t("delete"), name }))) return;
    await attempt(async () => {
      await ask(api.DELETE("/oserve/v1.8/table/{table}/", { params }));
      draft.drop();
      route(link("tables"));
      return true;
    });
  }

  return (
    <>
      <Form class="card narrow" draft={`table/${table.id}`} name={table.name} base={tag} onSubmit={save}>
        <fieldset disabled={!mayChange.value}>
          <Field label={common("name")} hint={isUsers ? t("builtIn") : t("nameHint")}>
            <input name="name" type="text" required maxLength={64} autocomplete="off" disabled={isUsers} defaultValue={table.name} />
          </Field>
          <p class="hint filters">{t("hint")}</p>
          <Input label={t("writePerm")} name="write_perm" defaultValue={table.write_perm.join(", ")} />
          <Input label={t("read")} hint={t("rows")} name="read" defaultValue={(table.default_row_perm._read_perm ?? []).join(", ")} />
          <Input label={t("write")} name="write" defaultValue={(table.default_row_perm._write_perm ?? []).join(", ")} />
          <Submit class="wa-brand">{common("save")}</Submit>
        </fieldset>
        <ErrorNote error={failure.value} />
      </Form>
      {conflict}
      <p>
        <Do class="wa-danger" disabled={!mayChange.value || isUsers} onClick={remove}>
          {t("delete")}
        </Do>
      </p>
    </>
  );
}
