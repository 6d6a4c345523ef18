import { useSignal } from "@preact/signals";
import { RotateCcw } from "lucide-preact";

import { api, ask } from "~/api/client";
import { Difference } from "~/editor/editor";
import { bytes } from "~/format";
import { place } from "~/place";
import { mayChange } from "~/session";
import { texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { Badge } from "~/ui/badge";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Do } from "~/ui/form";
import { List } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";
import { toast } from "~/ui/toast";

const t = texts({
  by: ["Author", "修改人"],
  compare: ["Compare with current", "与当前比较"],
  current: ["current", "当前"],
  difference: ["Version {n} compared with the current code", "版本 {n} 与当前"],
  restore: ["Restore", "恢复"],
  restoreText: ["This saves the code of version {n} as a new version.", "版本 {n} 的代码将成为新版本。"],
  restored: ["Restored version {n}", "版本 {n} 已恢复"],
  restoreUnsaved: ["Your unsaved changes to the code will be lost.", "尚未保存的代码更改将丢失。"],
  size: ["Size", "大小"],
  version: ["Version", "版本"],
  versions: ["Versions", "版本"],
  when: ["Created", "时间"],
});

/** The versions of a function, their differences, and their restoration. */
export function Versions({ name, tag, unsaved, onRestored }: { name: string; tag: string; unsaved: boolean; onRestored: () => Promise<void> }) {
  const compared = useSignal<number | undefined>(undefined);
  const { failure, confirmed } = useAction();
  const versions = useLoad(
    () => ask(api.GET("/oserve/v1.3/cloud-function/{name}/version/", { params: { path: { name }, query: { limit: 100 } } })),
    [name, place.value],
  );

  async function restore(version: number) {
    const title = `${t("restore")} ${name}`;
    const text = [t("restoreText", { n: version }), unsaved && t("restoreUnsaved")].filter(Boolean).join(" ");
    await confirmed({ title, text, action: t("restore"), name }, async () => {
      await ask(api.POST("/oserve/v1.3/cloud-function/{name}/version/{version}/restore/", { params: { path: { name, version } }, headers: { "If-Match": tag } }));
      toast(t("restored", { n: version }));
      await Promise.all([versions.reload(), onRestored()]);
    });
  }

  return (
    <>
      <ErrorNote error={failure.value} />
      <Load from={versions}>
        {({ objects }) => (
          <List
            label={t("versions")}
            rows={objects}
            rowKey={(v) => v.version}
            columns={[
              { label: t("version"), cell: (v) => v.version },
              { label: "", cell: (v) => v.current && <Badge tone="good">{t("current")}</Badge> },
              { label: t("size"), numeric: true, cell: (v) => bytes(v.code_bytes) },
              { label: t("when"), by: (v) => v.created_at, cell: (v) => <Ago at={v.created_at} /> },
              { label: t("by"), cell: (v) => v.created_by },
              {
                label: "",
                cell: (v) =>
                  !v.current && (
                    <span class="row">
                      <button class="icon" onClick={() => (compared.value = v.version)}>
                        {t("compare")}
                      </button>
                      <Do class="icon" disabled={!mayChange.value} onClick={() => restore(v.version)}>
                        <RotateCcw size={14} /> {t("restore")}
                      </Do>
                    </span>
                  ),
              },
            ]}
          />
        )}
      </Load>
      <Dialog wide title={t("difference", { n: compared.value ?? 0 })} open={compared.value !== undefined} onClose={() => (compared.value = undefined)}>
        {compared.value !== undefined && <Compare name={name} version={compared.value} />}
      </Dialog>
    </>
  );
}

function Compare({ name, version }: { name: string; version: number }) {
  const both = useLoad(async () => {
    const then = api.GET("/oserve/v1.3/cloud-function/{name}/version/{version}/", { params: { path: { name, version } } });
    const now = api.GET("/oserve/v1.3/cloud-function/{name}/", { params: { path: { name } } });
    const [before, after] = await Promise.all([ask(then), ask(now)]);
    return { before: before.function_code ?? "", after: after.function_code };
  }, [name, version]);

  return <Load from={both}>{(texts) => <Difference {...texts} language="javascript" label={t("compare")} />}</Load>;
}
