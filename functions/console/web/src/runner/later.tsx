import { useSignal } from "@preact/signals";

import { runningClient } from "~/acting";
import { ask } from "~/api/client";
import { common, texts } from "~/text";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Field } from "~/ui/field";
import { Form, Submit } from "~/ui/form";
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
  const failure = useSignal<unknown>(undefined);

  async function submit(form: FormData): Promise<boolean> {
    const at = String(form.get("at"));
    try {
      const data = parsePayload(runnerPayload.value);
      const body = {
        data,
        sync: false,
        run_at: at === "" ? undefined : Math.floor(new Date(at).getTime() / 1000),
        callback_url: String(form.get("callback")) || undefined,
      };
      const client = await runningClient();
      const started = await ask(client.POST("/oserve/v1.3/cloud-function/{name}/job/", { params: { path: { name } }, body }));
      failure.value = undefined;
      if ("job_id" in started) onStarted(started.job_id);
      onClose();
      return true;
    } catch (error) {
      failure.value = error;
      return false;
    }
  }

  return (
    <Dialog title={t("title", { name })} open={open} onClose={onClose}>
      <Form draft={`later/${name}`} name={t("title", { name })} onSubmit={submit}>
        <p class="quiet">{t("text")}</p>
        <Field label={t("at")} hint={t("atHint")}>
          <input name="at" type="datetime-local" step="1" />
        </Field>
        <Field label={t("callback")} hint={t("callbackHint")}>
          <input name="callback" type="url" maxLength={2048} placeholder="https://" autocomplete="off" />
        </Field>
        <ErrorNote error={failure.value} />
        <div class="dialog-foot">
          <button type="button" onClick={onClose}>
            {common("cancel")}
          </button>
          <Submit class="wa-brand">{t("start")}</Submit>
        </div>
      </Form>
    </Dialog>
  );
}
