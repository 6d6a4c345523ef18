import { api, ask } from "~/api/client";
import { moment } from "~/format";
import { link, place } from "~/place";
import { mayChange } from "~/session";
import { texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { confirm } from "~/ui/confirm";
import { ErrorNote } from "~/ui/error-note";
import { Do } from "~/ui/form";
import { List } from "~/ui/list";
import { useLoad } from "~/ui/load";
import { toast } from "~/ui/toast";
import type { Job } from "./job-list";

const t = texts({
  requested: ["Requested", "创建"],
  scheduledFor: ["Scheduled for", "时间"],
  cancel: ["Cancel run", "取消运行"],
  cancelled: ["Run cancelled", "已取消"],
  cancelText: ["The run will not start. This can't be undone.", "该任务将不会运行，且无法撤销。"],
  cancelTitle: ["Cancel run {id}?", "取消运行 {id}？"],
  runs: ["Runs", "运行"],
  starts: ["Starts", "运行"],
  title: ["Scheduled runs", "即将运行"],
});

const MOST = 100;

/** Cancels a run that waits, if the reader is sure; whether it did. */
export async function cancelRun(name: string, job: number): Promise<boolean> {
  const sure = await confirm({ title: t("cancelTitle", { id: job }), text: t("cancelText"), action: t("cancel") });
  if (!sure) return false;
  await ask(api.DELETE("/oserve/v1.3/cloud-function/{name}/job/{job}/", { params: { path: { name, job } } }));
  toast(t("cancelled"));
  return true;
}

/** The delayed runs that wait for their time, the next one first; nothing where there is none. */
export function Upcoming({ name, onCancelled }: { name: string; onCancelled: () => Promise<void> }) {
  const { failure, run } = useAction();
  const waiting = useLoad(
    () =>
      ask(
        api.GET("/oserve/v1.3/cloud-function/{name}/job/", {
          params: { path: { name }, query: { status: "waiting", service_type: "batch", limit: MOST } },
        }),
      ),
    [name, place.value],
  );
  const delayed = (waiting.data?.objects ?? []).filter((job) => job.run_at !== undefined).sort((a, b) => a.run_at! - b.run_at!);

  const cancel = (job: Job) =>
    run(async () => {
      if (await cancelRun(name, job.id)) await Promise.all([waiting.reload(), onCancelled()]);
    });

  if (delayed.length === 0) return <ErrorNote error={waiting.error ?? failure.value} />;
  return (
    <section class="upcoming">
      <h2>{t("title")}</h2>
      <ErrorNote error={failure.value} />
      <List
        label={t("title")}
        rows={delayed}
        rowKey={(job) => job.id}
        columns={[
          { label: t("scheduledFor"), cell: (job) => <a href={link("functions", name, "runs", job.id)}>{moment(new Date(job.run_at! * 1000))}</a> },
          { label: t("starts"), by: (job) => job.run_at, cell: (job) => <Ago at={job.run_at} /> },
          { label: t("requested"), by: (job) => job.created_at, cell: (job) => <Ago at={job.created_at} /> },
          {
            label: "",
            cell: (job) => (
              <Do class="icon" disabled={!mayChange.value} onClick={() => cancel(job)}>
                {t("cancel")}
              </Do>
            ),
          },
        ]}
      />
      <h2>{t("runs")}</h2>
    </section>
  );
}
