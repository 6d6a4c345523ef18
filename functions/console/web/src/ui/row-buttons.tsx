import { Pencil, Trash2 } from "lucide-preact";

import { mayChange } from "../session";
import { common, texts } from "../text";
import { Do } from "./form";

const t = texts({ edit: ["Edit {name}", "修改 {name}"] });

type Props = { name: string; disabled?: boolean; onEdit?: () => unknown; onDelete: () => unknown };

/** The buttons at the end of a row that edit and delete what the row shows. */
export function RowButtons({ name, disabled = !mayChange.value, onEdit, onDelete }: Props) {
  return (
    <>
      {onEdit && (
        <Do class="icon" disabled={disabled} aria-label={t("edit", { name })} onClick={onEdit}>
          <Pencil size={14} />
        </Do>
      )}
      <Do class="icon" disabled={disabled} aria-label={`${common("delete")} ${name}`} onClick={onDelete}>
        <Trash2 size={14} />
      </Do>
    </>
  );
}
