import { actingClient } from "~/acting";
import { ask } from "~/api/client";
import { unixSeconds } from "~/format";
import { texts } from "~/text";
import { Input } from "~/ui/field";
import { FormDialog } from "~/ui/form-dialog";
import { parsePayload } from "./payload";
import { runnerPayload } from "./state";

const t = texts({
  at: ["Start time", "时间"],
  atHint: ["Up to 30 days ahead, in your time zone. Leave empty to start now.", "最多 30 天后，按您所在的时区；留空则立即运行。"],
  callback: ["Callback URL", "回调地址"],
  callbackHint: ["Called with the result when the run ends. Optional.", "运行结束时通知的地址，可留空。"],
  start: ["Start", "开始"],
  text: ["Background runs can take up to 300 seconds.", "后台运行，最长 300 秒，与触发器的运行相同。"],
  title: ["Run {name} in the background", "后台运行 {name}"],
});

/** Starts a background run, now or at a time, with the runner's input. */
export function Later({ name, open, onClose, onStarted }: { name: string; open: boolean; onClose: () => void; onStarted: (job: number) => void }) {
  async function start(form: FormData) {
    const body = {
      data: parsePayload(runnerPayload.value),
      sync: false,
      run_at: unixSeconds(String(form.get("at"))),
      callback_url: String(form.get("callback")) || undefined,
    };
    const client = await actingClient();
    return ask(client.POST("/oserve/v1.3/cloud-function/{name}/job/", { params: { path: { name } }, body }));
  }

  return (
    <FormDialog
      title={t("title", { name })}
      draft={`later/${name}`}
      action={t("start")}
      open={open}
      onClose={onClose}
      onSave={start}
      onSaved={(started) => "job_id" in started && onStarted(started.job_id)}
    >
      <p class="quiet">{t("text")}</p>
      <Input label={t("at")} hint={t("atHint")} name="at" type="datetime-local" step="1" />
      <Input label={t("callback")} hint={t("callbackHint")} name="callback" type="url" maxLength={2048} placeholder="https://" />
    </FormDialog>
  );
}
