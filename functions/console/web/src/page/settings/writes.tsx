import { api, ask } from "~/api/client";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { ErrorNote } from "~/ui/error-note";
import { Load, useLoad } from "~/ui/load";
import { toast } from "~/ui/toast";

const t = texts({
  hint: [
    "Off: a write that contains an invalid field is rejected. Turn this on only for an app that moved from a platform that ignored such fields. Applies to all environments.",
    "关闭时，云函数写入含错误字段的数据会被整体拒绝。仅供从会忽略错误字段的平台迁移的应用使用；对所有环境生效。",
  ],
  legacy: ["Ignore invalid fields in writes from functions", "云函数写入时忽略错误字段"],
  title: ["Writes from functions", "云函数写入"],
});

/** The one setting of an application that its environments share. */
export function Writes({ application }: { application: number }) {
  const action = useAction();
  const setting = useLoad(() => ask(api.GET("/oserve/v1.8/application-setting/")), [application]);

  async function save(legacy_writes: boolean) {
    await action.run(async () => {
      await ask(api.PUT("/oserve/v1.8/application-setting/", { body: { legacy_writes } }));
      toast(common("saved"));
    });
    await setting.reload();
  }

  return (
    <section class="card part">
      <h2>{t("title")}</h2>
      <Load from={setting}>
        {(now) => (
          <label class="row">
            <input
              type="checkbox"
              checked={now.legacy_writes}
              disabled={!mayChange.value || action.busy.value}
              onChange={(event) => save(event.currentTarget.checked)}
            />
            {t("legacy")}
          </label>
        )}
      </Load>
      <p class="hint">{t("hint")}</p>
      <ErrorNote error={action.failure.value} />
    </section>
  );
}
