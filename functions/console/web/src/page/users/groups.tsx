import { Plus } from "lucide-preact";

import { api, ask } from "~/api/client";
import { command } from "~/api/requests";
import { place } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Empty } from "~/ui/empty";
import { ErrorNote } from "~/ui/error-note";
import { Form, Submit } from "~/ui/form";
import { LoadedList } from "~/ui/loaded-list";
import { usePages } from "~/ui/more";
import { RowButtons } from "~/ui/row-buttons";

const t = texts({
  deleteText: ["The users in it are not deleted. Triggers that send to this group will have no recipients.", "成员仍是用户；发给该组的触发器将找不到收件人。"],
  deleteTitle: ["Delete the group {name}?", "删除用户组 {name}？"],
  members: ["Members", "成员"],
  new: ["New group", "新建用户组"],
  none: ["No groups yet", "还没有用户组"],
  teach: ["A group names a set of users. Table permissions and messages can refer to it.", "用户组是一组用户的名称：数据表权限和消息可以指定用户组。"],
});

const PAGE = 100;

/** The groups of the environment, page by page. */
export const useGroups = () => usePages(PAGE, (limit) => ask(api.GET("/oserve/v1/user-group/", { params: { query: { limit } } })), [place.value]);

/** The groups of users, their creation and deletion. Members are edited on the page of each user. */
export function Groups() {
  const action = useAction();
  const groups = useGroups();

  const create = (said: FormData, form: HTMLFormElement): Promise<boolean> =>
    action.run(async () => {
      await ask(api.POST("/oserve/v1/user-group/", { body: { name: String(said.get("name")) } }));
      form.reset();
      await groups.reload();
    });

  const remove = (id: number, name: string) =>
    action.confirmed({ title: t("deleteTitle", { name }), text: t("deleteText"), action: common("delete"), name }, async () => {
      await ask(api.DELETE("/oserve/v1/user-group/{id}/", { params: { path: { id } } }));
      await groups.reload();
    });

  return (
    <>
      <ErrorNote error={action.failure.value} />
      <Form class="row filters" draft="group" name={t("new")} onSubmit={create}>
        <input name="name" type="text" class="search" aria-label={t("new")} placeholder={t("new")} required maxLength={64} disabled={!mayChange.value} />
        <Submit disabled={!mayChange.value}>
          <Plus size={16} /> {common("create")}
        </Submit>
      </Form>
      <LoadedList
        label={common("groups")}
        from={groups}
        none={
          <Empty title={t("none")} curl={command("/oserve/v1/user-group/", { name: "testers" })}>
            <p>{t("teach")}</p>
          </Empty>
        }
        rowKey={(group) => group.id}
        columns={[
          { label: common("name"), cell: (group) => <span class="clip">{group.name}</span> },
          { label: common("id"), cell: (group) => <code>{group.id}</code> },
          { label: t("members"), by: (group) => group.members, numeric: true, cell: (group) => group.members },
          { label: "", cell: (group) => <RowButtons name={group.name} onDelete={() => remove(group.id, group.name)} /> },
        ]}
      />
    </>
  );
}
