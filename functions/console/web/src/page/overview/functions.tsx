import type { components } from "~/api/schema";
import { count, duration } from "~/format";
import { link } from "~/place";
import { common, texts } from "~/text";
import { List } from "~/ui/list";

type Function = components["schemas"]["Overview"]["functions"][number];

const t = texts({
  outcomes: ["Errors", "错误"],
  p95: ["Latency", "耗时"],
  running: ["Running", "正在运行"],
  runs: ["Runs", "运行"],
  title: ["Active functions", "运行过的云函数"],
  waiting: ["Waiting", "等待中"],
});

const WELL = "fulfilled";

/** The runs of each function; each number links to its runs. */
export function Ran({ functions, within }: { functions: Function[]; within: string }) {
  const runsOf = (name: string, status?: string, span = within) =>
    link("functions", name) + "?" + new URLSearchParams({ tab: "jobs", ...(status && { status }), ...(span && { within: span }) });
  if (functions.length === 0) return null;
  return (
    <>
      <h2 id="functions">{t("title")}</h2>
      <List
        label={t("title")}
        rows={functions}
        rowKey={(f) => f.name}
        href={(f) => runsOf(f.name)}
        columns={[
          {
            label: common("function"), by: (f) => f.name,
            cell: (f) => (
              <a class="clip" href={link("functions", f.name)}>
                {f.name}
              </a>
            ),
          },
          { label: t("runs"), by: (f) => f.runs, numeric: true, cell: (f) => <a href={runsOf(f.name)}>{count(f.runs)}</a> },
          { label: t("outcomes"), cell: (f) => <Errors outcomes={f.outcomes} hrefOf={(status) => runsOf(f.name, status)} /> },
          { label: t("p95"), by: (f) => (f.runs > 0 ? f.p95_ms : null), numeric: true, cell: (f) => (f.runs > 0 ? duration(f.p95_ms) : "–") },
          {
            label: t("waiting"),
            numeric: true,
            cell: (f) => (f.pending_jobs > 0 ? <a href={runsOf(f.name, "waiting", "")}>{count(f.pending_jobs)}</a> : "–"),
          },
          {
            label: t("running"),
            numeric: true,
            cell: (f) => (f.running_jobs > 0 ? <a href={runsOf(f.name, "executing", "")}>{count(f.running_jobs)}</a> : "–"),
          },
        ]}
      />
    </>
  );
}

function Errors({ outcomes, hrefOf }: { outcomes: Record<string, number>; hrefOf: (status: string) => string }) {
  const errors = Object.entries(outcomes).filter(([status, n]) => status !== WELL && n > 0);
  if (errors.length === 0) return <span class="quiet">–</span>;
  return (
    <span class="row">
      {errors.map(([status, n]) => (
        <a key={status} class="badge bad" href={hrefOf(status)}>
          {status} {count(n)}
        </a>
      ))}
    </span>
  );
}
