import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Plus } from "lucide-preact";

import { useGroups } from "./groups";
import { api, ask } from "~/api/client";
import { command } from "~/api/requests";
import type { components } from "~/api/schema";
import { place } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Empty } from "~/ui/empty";
import { ErrorNote } from "~/ui/error-note";
import { Input } from "~/ui/field";
import { FormDialog } from "~/ui/form-dialog";
import { Load } from "~/ui/load";
import { LoadedList } from "~/ui/loaded-list";
import { More, usePages } from "~/ui/more";
import { RowButtons } from "~/ui/row-buttons";

type SuperGroup = components["schemas"]["SuperGroup"];
type Group = components["schemas"]["UserGroup"];

const t = texts({
  change: ["Edit {name}", "修改 {name}"],
  deleteText: ["Its groups and their members are kept.", "其中的用户组及成员不受影响。"],
  deleteTitle: ["Delete the super group {name}?", "删除超级用户组 {name}？"],
  groups: ["Groups", "包含的用户组"],
  list: ["Super groups", "超级用户组"],
  new: ["New super group", "新建超级用户组"],
  noGroups: ["No groups yet. Create a group first.", "还没有用户组。"],
  none: ["No super groups yet", "还没有超级用户组"],
  teach: ["A super group combines several groups under one name.", "超级用户组把多个用户组合在一个名称之下。"],
});

const PAGE = 100;

/** Groups of groups: made, changed and deleted. */
export function SuperGroups() {
  const action = useAction();
  const open = useSignal<SuperGroup | "new" | undefined>(undefined);
  const found = usePages(PAGE, (limit) => ask(api.GET("/oserve/v1/user-supergroup/", { params: { query: { limit } } })), [place.value]);
  const groups = useGroups();

  const remove = ({ id, name }: SuperGroup) =>
    action.confirmed({ title: t("deleteTitle", { name }), text: t("deleteText"), action: common("delete"), name }, async () => {
      await ask(api.DELETE("/oserve/v1/user-supergroup/{id}/", { params: { path: { id } } }));
      await found.reload();
    });

  return (
    <>
      <p class="row filters">
        <button disabled={!mayChange.value} onClick={() => (open.value = "new")}>
          <Plus size={16} /> {t("new")}
        </button>
      </p>
      <ErrorNote error={action.failure.value} />
      <LoadedList
        label={t("list")}
        from={found}
        none={<None groups={groups.data?.objects ?? []} />}
        rowKey={(it) => it.id}
        columns={[
          { label: common("name"), cell: (it) => <span class="clip">{it.name}</span> },
          { label: common("id"), cell: (it) => <code>{it.id}</code> },
          { label: t("groups"), cell: (it) => <span class="clip">{it.user_group.map((group) => group.name).join(", ")}</span> },
          { label: "", cell: (it) => <RowButtons name={it.name} onEdit={() => (open.value = it)} onDelete={() => remove(it)} /> },
        ]}
      />
      {open.value && (
        <Load from={groups}>
          {({ objects, meta }) => (
            <Edit
              of={open.value === "new" ? undefined : open.value}
              groups={objects}
              more={<More meta={meta} onMore={groups.more} />}
              onClose={() => (open.value = undefined)}
              onSaved={found.reload}
            />
          )}
        </Load>
      )}
    </>
  );
}

function None({ groups }: { groups: Group[] }) {
  const children = groups.slice(0, 2).map(({ id }) => id);
  return (
    <Empty title={t("none")} curl={command("/oserve/v1/user-supergroup/", { name: "everybody", children })}>
      <p>{t("teach")}</p>
    </Empty>
  );
}

type EditProps = { of?: SuperGroup; groups: Group[]; more: ComponentChildren; onClose: () => void; onSaved: () => Promise<void> };

function Edit({ of, groups, more, onClose, onSaved }: EditProps) {
  // Saving replaces all children, so the form must also have those beyond the loaded groups.
  const children = of?.user_group ?? [];
  const choices = [...children, ...groups.filter(({ id }) => !children.some((child) => child.id === id))];

  function save(said: FormData) {
    const body = { name: String(said.get("name")), children: said.getAll("children").map(Number) };
    if (of) return ask(api.PUT("/oserve/v1/user-supergroup/{id}/", { params: { path: { id: of.id } }, body }));
    return ask(api.POST("/oserve/v1/user-supergroup/", { body }));
  }

  return (
    <FormDialog
      title={of ? t("change", { name: of.name }) : t("new")}
      draft={`super-group/${of?.id ?? "new"}`}
      open
      onClose={onClose}
      onSave={save}
      onSaved={onSaved}
    >
      <Input label={common("name")} name="name" required maxLength={64} autofocus defaultValue={of?.name} />
      <fieldset>
        <legend>{t("groups")}</legend>
        {choices.length === 0 && <p class="quiet">{t("noGroups")}</p>}
        {choices.map(({ id, name }) => (
          <label key={id} class="row">
            <input type="checkbox" name="children" value={id} defaultChecked={children.some((child) => child.id === id)} />
            <span class="clip">{name}</span>
          </label>
        ))}
        {more}
      </fieldset>
    </FormDialog>
  );
}
