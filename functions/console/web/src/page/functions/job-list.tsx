import type { components } from "~/api/schema";
import { duration } from "~/format";
import { link } from "~/place";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Status } from "~/ui/badge";
import { List } from "~/ui/list";

/** A run, as the API returns it. */
export type Job = components["schemas"]["Job"];

const t = texts({
  error: ["Error", "错误"],
  jobs: ["Runs", "运行记录"],
  took: ["Duration", "耗时"],
});

/** Whether a job has ended. */
export const hasEnded = (status: string): boolean => status !== "waiting" && status !== "executing";

/** Jobs in a row each, which lead to their pages. */
export function JobList({ name, jobs }: { name: string; jobs: readonly Job[] }) {
  const hrefOf = (job: Job) => link("functions", name, "runs", job.id);
  return (
    <List
      label={t("jobs")}
      rows={jobs}
      rowKey={(job) => job.id}
      href={hrefOf}
      columns={[
        {
          label: common("time"), by: (job) => job.created_at,
          cell: (job) => (
            <a href={hrefOf(job)}>
              <Ago at={job.created_at} />
            </a>
          ),
        },
        { label: common("status"), by: (job) => job.status, cell: (job) => <Status value={job.status} /> },
        { label: common("source"), by: (job) => job.source, cell: (job) => job.source },
        { label: t("took"), by: (job) => (hasEnded(job.status) ? job.execution_time : null), numeric: true, cell: (job) => (hasEnded(job.status) ? duration(job.execution_time) : "–") },
        { label: t("error"), cell: (job) => <span class="clip quiet">{job.error.message}</span> },
      ]}
    />
  );
}
