
import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { place } from "~/place";
import { type Source, SOURCES } from "~/runner/presets";
import { common, texts } from "~/text";
import { Choice } from "~/ui/choice";
import { useFilter } from "~/ui/filter";
import { Load } from "~/ui/load";
import { More, usePages } from "~/ui/more";
import { Views } from "~/ui/views";
import { JobChart } from "./job-chart";
import { JobList } from "./job-list";
import { Upcoming } from "./upcoming";

type JobStatus = components["schemas"]["JobStatus"];
type ServiceType = components["schemas"]["ServiceType"];

const t = texts({
  none: ["No runs match these filters.", "暂无符合条件的运行记录。"],
  service: ["Service type", "服务方式"],
  within: ["Time range", "时间范围"],
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

const SERVICES: ServiceType[] = ["time_sensitive", "batch"];
const SPANS = { "1 h": 3600, "6 h": 6 * 3600, "24 h": 86_400, "7 d": 7 * 86_400, "30 d": 30 * 86_400 };
const PAGE = 100;

/** The runs of a function: scheduled ones, past ones, and their durations. */
export function Jobs({ name }: { name: string }) {
  const status = useFilter<JobStatus | "">("status");
  const source = useFilter<Source | "">("source");
  const service = useFilter<ServiceType | "">("service");
  const span = useFilter<keyof typeof SPANS | "">("within");
  const query = { status: status.value || undefined, source: source.value || undefined, service_type: service.value || undefined };
  const jobs = usePages(
    PAGE,
    (limit) => {
      const params = { path: { name }, query: { ...query, limit, created_at__gte: since(SPANS[span.value as keyof typeof SPANS]) } };
      return ask(api.GET("/oserve/v1.3/cloud-function/{name}/job/", { params }));
    },
    [name, place.value, span.value, ...Object.values(query)],
  );

  return (
    <>
      <Upcoming name={name} onCancelled={jobs.reload} />
      <div class="row filters">
        <Choice label={common("status")} values={STATUSES} filter={status} />
        <Choice label={common("source")} values={SOURCES} filter={source} />
        <Choice label={t("service")} values={SERVICES} filter={service} />
        <Choice label={t("within")} values={Object.keys(SPANS) as (keyof typeof SPANS)[]} filter={span} />
        <Views list="jobs" />
        <button onClick={() => void jobs.reload()}>{common("reload")}</button>
      </div>
      <Load from={jobs}>
        {({ objects, meta }) =>
          objects.length === 0 ? (
            <p class="quiet">{t("none")}</p>
          ) : (
            <>
              <JobChart jobs={objects} />
              <JobList name={name} jobs={objects} />
              <More meta={meta} onMore={jobs.more} />
            </>
          )
        }
      </Load>
    </>
  );
}

function since(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.floor(Date.now() / 1000) - seconds;
}
