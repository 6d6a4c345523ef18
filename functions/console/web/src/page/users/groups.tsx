import { useSignal } from "@preact/signals";
import { Plus } from "lucide-preact";

import { api, ask } from "~/api/client";
import { command } from "~/api/requests";
import { place } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { confirm } from "~/ui/confirm";
import { Empty } from "~/ui/empty";
import { ErrorNote } from "~/ui/error-note";
import { Form, Submit } from "~/ui/form";
import { List } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";
import { longer, More } from "~/ui/more";
import { RowButtons } from "~/ui/row-buttons";

const t = texts({
  deleteText: ["The users in it are not deleted. Triggers that send to this group will have no recipients.", "成员仍是用户；发给该组的触发器将找不到收件人。"],
  deleteTitle: ["Delete the group {name}?", "删除用户组 {name}？"],
  groups: ["Groups", "用户组"],
  id: ["ID", "ID"],
  members: ["Members", "成员"],
  new: ["New group", "新建用户组"],
  none: ["No groups yet", "还没有用户组"],
  teach: ["A group names a set of users. Table permissions and messages can refer to it.", "用户组是一组用户的名称：数据表权限和消息可以指定用户组。"],
});

const PAGE = 100;

/** The groups of users, their creation and deletion. Members are edited on the page of each user. */
export function Groups() {
  const action = useAction();
  const limit = useSignal(PAGE);
  const groups = useLoad(
    () => ask(api.GET("/oserve/v1/user-group/", { params: { query: { limit: limit.value } } })),
    [place.value, limit.value],
  );

  const change = (work: () => Promise<unknown>): Promise<boolean> =>
    action.run(async () => {
      await work();
      await groups.reload();
    });

  async function create(said: FormData, form: HTMLFormElement): Promise<boolean> {
    const done = await change(() => ask(api.POST("/oserve/v1/user-group/", { body: { name: String(said.get("name")) } })));
    if (done) form.reset();
    return done;
  }

  async function remove(id: number, name: string) {
    if (!(await confirm({ title: t("deleteTitle", { name }), text: t("deleteText"), action: common("delete"), name }))) return;
    await change(() => ask(api.DELETE("/oserve/v1/user-group/{id}/", { params: { path: { id } } })));
  }

  return (
    <>
      <ErrorNote error={action.failure.value} />
      <Form class="row filters" draft="group" name={t("new")} onSubmit={create}>
        <input name="name" type="text" class="search" aria-label={t("new")} placeholder={t("new")} required maxLength={64} disabled={!mayChange.value} />
        <Submit disabled={!mayChange.value}>
          <Plus size={16} /> {common("create")}
        </Submit>
      </Form>
      <Load from={groups}>
        {({ objects, meta }) =>
          objects.length === 0 ? (
            <Empty title={t("none")} curl={command("/oserve/v1/user-group/", { name: "testers" })}>
              <p>{t("teach")}</p>
            </Empty>
          ) : (
            <>
              <List
                label={t("groups")}
                rows={objects}
                rowKey={(group) => group.id}
                columns={[
                  { label: common("name"), cell: (group) => <span class="clip">{group.name}</span> },
                  { label: t("id"), cell: (group) => <code>{group.id}</code> },
                  { label: t("members"), by: (group) => group.members, numeric: true, cell: (group) => group.members },
                  {
                    label: "",
                    cell: (group) => <RowButtons name={group.name} onDelete={() => remove(group.id, group.name)} />,
                  },
                ]}
              />
              <More meta={meta} onMore={() => (limit.value = longer(limit.value, PAGE))} />
            </>
          )
        }
      </Load>
    </>
  );
}
