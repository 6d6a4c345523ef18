import { Plus, Trash2, Undo2 } from "lucide-preact";

import { api, ask } from "~/api/client";
import { place } from "~/place";
import { texts } from "~/text";
import { useLoad } from "~/ui/load";
import { NamedOptions, Options } from "~/ui/options";
import { ITEM_TYPES, TYPES, type Column } from "./columns";
import { type Access, draftOf, type DraftColumn } from "./schema-change";

const t = texts({
  access: ["Clients can", "客户端权限"],
  actions: ["Actions", "操作"],
  add: ["Add column", "添加列"],
  anyTable: ["any table", "任意数据表"],
  column: ["Column", "列"],
  creator: ["only in own rows", "仅自己的行"],
  creatorOf: ["Clients see {name} only in their own rows", "客户端仅在自己的行中看到 {name}"],
  default: ["Default", "默认值"],
  defaultOf: ["Default of {name}", "{name} 的默认值"],
  description: ["Description", "说明"],
  descriptionOf: ["Description of {name}", "{name} 的说明"],
  index: ["Index", "索引"],
  indexOf: ["Index {name}", "为 {name} 建立索引"],
  itemsOf: ["Items of {name}", "{name} 的元素类型"],
  keep: ["Keep {name}", "保留 {name}"],
  hint: [
    "Clients can: see the column, write it, or see it only in rows that they created. Functions and administrators have full access.",
    "客户端权限：查看、写入，或仅在自己创建的行中查看。云函数与管理员不受限制。",
  ],
  name: ["Name", "名称"],
  nameOf: ["Name of column {n}", "第 {n} 列的名称"],
  remove: ["Remove {name}", "删除 {name}"],
  required: ["Required", "必填"],
  requiredOf: ["{name} is required", "{name} 必填"],
  see: ["see", "查看"],
  seeOf: ["Clients can see {name}", "客户端可查看 {name}"],
  targetOf: ["Target table of {name}", "{name} 指向的数据表"],
  type: ["Type", "类型"],
  typeOf: ["Type of {name}", "{name} 的类型"],
  write: ["write", "写入"],
  writeOf: ["Clients can write {name}", "客户端可写入 {name}"],
});

/** The editor of a table's columns, one line each. The name and type of an existing column can't change. */
export function ColumnsEditor({ drafts, onChange, disabled }: { drafts: readonly DraftColumn[]; onChange: (drafts: DraftColumn[]) => void; disabled: boolean }) {
  const put = (next: DraftColumn) => onChange(drafts.map((draft) => (draft.key === next.key ? next : draft)));

  // A new column that is not wanted is simply gone; one with values is marked until it is saved.
  function remove(draft: DraftColumn) {
    if (draft.old) put({ ...draft, removed: !draft.removed });
    else onChange(drafts.filter((it) => it !== draft));
  }

  return (
    <fieldset disabled={disabled}>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={t("column")}>
        <table class="columns-editor">
          <thead>
            <tr>
              {[t("name"), t("type"), t("required"), t("index"), t("access"), t("default"), t("description")].map((label) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
              <th scope="col">
                <span class="skip">{t("actions")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {drafts.map((draft, i) => (
              <Line key={draft.key} n={i + 1} draft={draft} onChange={put} onRemove={() => remove(draft)} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">{t("hint")}</p>
      <p class="row staged-bar">
        <button type="button" onClick={() => onChange([...drafts, draftOf()])}>
          <Plus size={16} /> {t("add")}
        </button>
      </p>
    </fieldset>
  );
}

function Line({ n, draft, onChange, onRemove }: { n: number; draft: DraftColumn; onChange: (draft: DraftColumn) => void; onRemove: () => void }) {
  const name = draft.name || `#${n}`;
  const put = (some: Partial<DraftColumn>) => onChange({ ...draft, ...some });
  const fixed = draft.old?.built_in ?? false;
  const cannot = fixed || draft.removed;
  return (
    <tr class={draft.removed ? "removed" : ""}>
      <td>
        {draft.old ? (
          <code>{draft.name}</code>
        ) : (
          <input
            type="text"
            required
            pattern="[A-Za-z][A-Za-z0-9_]*"
            maxLength={64}
            autocomplete="off"
            aria-label={t("nameOf", { n })}
            ref={focusAfterButton}
            value={draft.name}
            onInput={(event) => put({ name: event.currentTarget.value })}
          />
        )}
      </td>
      <td>
        <Types draft={draft} name={name} onChange={put} />
      </td>
      <td>
        <input type="checkbox" disabled={cannot} aria-label={t("requiredOf", { name })} checked={draft.required} onChange={(event) => put({ required: event.currentTarget.checked })} />
      </td>
      <td>
        <input type="checkbox" disabled={cannot} aria-label={t("indexOf", { name })} checked={draft.indexed} onChange={(event) => put({ indexed: event.currentTarget.checked })} />
      </td>
      <td>
        <AccessBoxes name={name} access={draft.access} disabled={draft.removed} onChange={(access) => put({ access })} />
      </td>
      <td>
        <input type="text" disabled={cannot} aria-label={t("defaultOf", { name })} autocomplete="off" value={draft.default} onInput={(event) => put({ default: event.currentTarget.value })} />
      </td>
      <td>
        <input type="text" disabled={cannot} aria-label={t("descriptionOf", { name })} maxLength={1000} autocomplete="off" value={draft.description} onInput={(event) => put({ description: event.currentTarget.value })} />
      </td>
      <td>
        <button type="button" class="icon" disabled={fixed} aria-label={t(draft.removed ? "keep" : "remove", { name })} onClick={onRemove}>
          {draft.removed ? <Undo2 size={16} /> : <Trash2 size={16} />}
        </button>
      </td>
    </tr>
  );
}

/** What clients may do with a column. A hidden one is hidden in own rows, too. */
function AccessBoxes({ name, access, disabled, onChange }: { name: string; access: Access; disabled: boolean; onChange: (access: Access) => void }) {
  const box = (label: "see" | "write" | "creator", checked: boolean, change: (on: boolean) => Partial<Access>, off = false) => (
    <label>
      <input
        type="checkbox"
        disabled={disabled || off}
        aria-label={t(`${label}Of`, { name })}
        checked={checked}
        onChange={(event) => onChange({ ...access, ...change(event.currentTarget.checked) })}
      />
      {t(label)}
    </label>
  );
  return (
    <span class="row access">
      {box("see", access.clientVisible, (clientVisible) => ({ clientVisible }))}
      {box("write", !access.clientReadOnly, (can) => ({ clientReadOnly: !can }))}
      {box("creator", access.creatorVisible, (creatorVisible) => ({ creatorVisible }), !access.clientVisible)}
    </span>
  );
}

/** A line that a button has just added is where one goes on; the lines of a dialog that opens are not. */
function focusAfterButton(field: HTMLInputElement | null): void {
  if (document.activeElement?.tagName === "BUTTON") field?.focus();
}

function Types({ draft, name, onChange }: { draft: DraftColumn; name: string; onChange: (some: Partial<DraftColumn>) => void }) {
  if (draft.old) return <span class="quiet">{typeWords(draft, draft.old)}</span>;
  return (
    <span class="row">
      <select aria-label={t("typeOf", { name })} value={draft.type} onChange={(event) => onChange({ type: event.currentTarget.value as DraftColumn["type"] })}>
        <Options of={TYPES} />
      </select>
      {draft.type === "array" && (
        <select aria-label={t("itemsOf", { name })} value={draft.items} onChange={(event) => onChange({ items: event.currentTarget.value as DraftColumn["items"] })}>
          <Options of={ITEM_TYPES} />
        </select>
      )}
      {draft.type === "pointer" && <Target label={t("targetOf", { name })} value={draft.target} onChange={(target) => onChange({ target })} />}
    </span>
  );
}

function typeWords({ type, items }: DraftColumn, old: Column): string {
  if (type === "array") return `array · ${items}`;
  return type === "pointer" && old.schema_name ? `pointer → ${old.schema_name}` : type;
}

const MOST_TABLES = 100;

/** The target table of a pointer; without one each value must name its own. */
function Target({ label, value, onChange }: { label: string; value: string; onChange: (target: string) => void }) {
  const found = useLoad(() => ask(api.GET("/oserve/v1.8/table/", { params: { query: { limit: MOST_TABLES } } })), [place.value]);

  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{t("anyTable")}</option>
      <NamedOptions of={found.data?.objects} />
    </select>
  );
}
