import { api, ask } from "~/api/client";
import { inputOf } from "~/page/functions/use-log";
import type { Job } from "~/page/functions/job-list";
import { place } from "~/place";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { Status } from "~/ui/badge";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { useLoad } from "~/ui/load";
import { LoadedList } from "~/ui/loaded-list";
import { runAgain } from "./state";

const t = texts({
  gone: ["The input is not available: the log of this run has expired or was truncated.", "该运行的日志已不存在，或在输入处被截断。"],
  none: ["This function has not run yet.", "尚未运行过。"],
  title: ["Input of an earlier run", "以往运行的输入"],
  use: ["Use", "使用"],
  when: ["When", "时间"],
});

const SHOWN = 20;

/** The last runs of a function, to take the input of one. */
export function Earlier({ name, open, onClose }: { name: string; open: boolean; onClose: () => void }) {
  return (
    <Dialog title={t("title")} open={open} onClose={onClose}>
      <Runs name={name} onTaken={onClose} />
    </Dialog>
  );
}

function Runs({ name, onTaken }: { name: string; onTaken: () => void }) {
  const { failure, run } = useAction();
  const jobs = useLoad(
    () => ask(api.GET("/oserve/v1.3/cloud-function/{name}/job/", { params: { path: { name }, query: { limit: SHOWN } } })),
    [name, place.value],
  );

  async function take(job: Job) {
    await run(async () => {
      const params = { path: { name, job: job.id } };
      const log = await ask(api.GET("/oserve/v1.3/cloud-function/{name}/job/{job}/log/", { params, parseAs: "text" }));
      const input = inputOf(log);
      if (input === undefined) throw new Error(t("gone"));
      runAgain(name, input, job.source);
      onTaken();
    });
  }

  return (
    <>
      <ErrorNote error={failure.value} />
      <LoadedList
        label={t("title")}
        from={jobs}
        none={t("none")}
        rowKey={(job) => job.id}
        columns={[
          { label: t("when"), by: (job) => job.created_at, cell: (job) => <Ago at={job.created_at} /> },
          { label: common("status"), cell: (job) => <Status value={job.status} /> },
          { label: common("source"), cell: (job) => job.source },
          { label: "", cell: (job) => <button onClick={() => void take(job)}>{t("use")}</button> },
        ]}
      />
    </>
  );
}
