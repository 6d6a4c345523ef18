import { useSignal } from "@preact/signals";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { duration } from "~/format";
import { link, place } from "~/place";
import { texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Badge, type Tone } from "~/ui/badge";
import { Choice } from "~/ui/choice";
import { useFilter } from "~/ui/filter";
import { List } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";
import { More } from "~/ui/more";
import { Views } from "~/ui/views";

type Job = components["schemas"]["Job"];
type JobStatus = components["schemas"]["JobStatus"];
type JobSource = components["schemas"]["JobSource"];

const t = texts({
  error: ["Error", "错误"],
  jobs: ["Runs", "运行记录"],
  none: ["It has not run like that yet.", "暂无符合条件的运行记录。"],
  source: ["Source", "来源"],
  status: ["Status", "状态"],
  took: ["Took", "耗时"],
  when: ["When", "时间"],
});

const STATUSES: JobStatus[] = [
  "waiting",
  "executing",
  "fulfilled",
  "schedule_failed",
  "execution_rejected",
  "deadline_exceeded",
  "execution_failed",
];

const SOURCES: JobSource[] = [
  "sdk",
  "open_api",
  "cloud_function",
  "flex_schema",
  "chat_pay_success",
  "alt_pay_success",
  "tpay_success",
  "timer",
  "file_operation",
  "incoming_webhook",
  "chat_message",
];

const TONES: Partial<Record<JobStatus, Tone>> = { waiting: "busy", executing: "busy", fulfilled: "good" };
const PAGE = 50;

/** How a job stands. */
export function JobBadge({ status }: { status: JobStatus }) {
  return <Badge tone={TONES[status] ?? "bad"}>{status}</Badge>;
}

/** The runs of a function, newest first, by status and source. */
export function Jobs({ name }: { name: string }) {
  const status = useFilter<JobStatus | "">("status");
  const source = useFilter<JobSource | "">("source");
  const limit = useSignal(PAGE);
  const query = { limit: limit.value, status: status.value || undefined, source: source.value || undefined };
  const jobs = useLoad(
    () => ask(api.GET("/oserve/v1.3/cloud-function/{name}/job/", { params: { path: { name }, query } })),
    [name, place.value, ...Object.values(query)],
  );
  const hrefOf = (job: Job) => link("functions", name, "runs", job.id);

  return (
    <>
      <div class="row filters">
        <Choice label={t("status")} values={STATUSES} chosen={status.value} onChoose={(value) => (status.value = value)} />
        <Choice label={t("source")} values={SOURCES} chosen={source.value} onChoose={(value) => (source.value = value)} />
        <Views list="jobs" />
      </div>
      <Load from={jobs}>
        {({ objects, meta }) =>
          objects.length === 0 ? (
            <p class="quiet">{t("none")}</p>
          ) : (
            <>
              <List
                label={t("jobs")}
                rows={objects}
                rowKey={(job) => job.id}
                href={hrefOf}
                columns={[
                  {
                    label: t("when"),
                    cell: (job) => (
                      <a href={hrefOf(job)}>
                        <Ago at={job.created_at} />
                      </a>
                    ),
                  },
                  { label: t("status"), cell: (job) => <JobBadge status={job.status} /> },
                  { label: t("source"), cell: (job) => job.source },
                  { label: t("took"), numeric: true, cell: (job) => duration(job.execution_time) },
                  { label: t("error"), cell: (job) => <span class="clip">{job.error.message}</span> },
                ]}
              />
              <More meta={meta} onMore={() => (limit.value += PAGE)} />
            </>
          )
        }
      </Load>
    </>
  );
}
