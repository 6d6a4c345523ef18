import { useMemo } from "preact/hooks";

import { count, duration, moment } from "~/format";
import { language, texts } from "~/text";
import { Chart } from "~/ui/chart";
import { hasEnded, type Job } from "./job-list";

const t = texts({
  asTable: ["Show as table", "以表格显示"],
  failed: ["failed", "失败"],
  from: ["Time", "起始"],
  fulfilled: ["fulfilled", "成功"],
  median: ["median (ms)", "中位数 ms"],
  slowest: ["slowest (ms)", "最慢 ms"],
  status: ["Status of {n:run|runs}", "{n} 次运行的结果"],
  took: ["Duration", "运行耗时"],
});

const PARTS = 24;
const FEWEST = 5;

/** The runs that ended within a part of the time range. */
type Part = { from: number; fulfilled: number; failed: number; times: number[] };

/** How the listed runs ended and how long they took, over the time they span. */
export function JobChart({ jobs }: { jobs: readonly Job[] }) {
  const parts = useMemo(() => split(jobs.filter((job) => hasEnded(job.status))), [jobs]);
  const charts = useMemo(() => series(parts), [parts, language.value]);
  if (parts.length < 2) return null;
  const ended = count(parts.reduce((sum, part) => sum + part.fulfilled + part.failed, 0));

  return (
    <>
      <div class="cards charts">
        <figure class="card">
          <figcaption>{t("status", { n: ended })}</figcaption>
          <Chart label={t("status", { n: ended })} times={charts.times} series={charts.status} />
        </figure>
        <figure class="card">
          <figcaption>{t("took")}</figcaption>
          <Chart label={t("took")} times={charts.times} series={charts.took} />
        </figure>
      </div>
      <details class="as-table">
        <summary>{t("asTable")}</summary>
        <Table parts={parts.filter((part) => part.times.length > 0)} />
      </details>
    </>
  );
}

function Table({ parts }: { parts: Part[] }) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={t("took")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("from")}</th>
            {(["fulfilled", "failed", "median", "slowest"] as const).map((word) => (
              <th key={word} scope="col" class="numeric">
                {t(word)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {parts.map((part) => (
            <tr key={part.from}>
              <td>{moment(new Date(part.from * 1000))}</td>
              <td class="numeric">{part.fulfilled}</td>
              <td class="numeric">{part.failed}</td>
              <td class="numeric">{duration(median(part.times))}</td>
              <td class="numeric">{duration(part.times.at(-1)!)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Splits the time between the first and the last run into equal parts; nothing where a picture would say nothing. */
function split(jobs: readonly Job[]): Part[] {
  const starts = jobs.map((job) => job.created_at);
  const first = Math.min(...starts);
  const span = Math.max(...starts) - first;
  if (jobs.length < FEWEST || span === 0) return [];
  const n = Math.min(PARTS, jobs.length);
  const width = span / n;
  const parts = Array.from({ length: n }, (_, i): Part => ({ from: first + i * width, fulfilled: 0, failed: 0, times: [] }));

  for (const job of jobs) {
    const part = parts[Math.min(n - 1, Math.floor((job.created_at - first) / width))]!;
    part[job.status === "fulfilled" ? "fulfilled" : "failed"]++;
    part.times.push(job.execution_time);
  }
  for (const part of parts) part.times.sort((a, b) => a - b);
  return parts;
}

function series(parts: readonly Part[]) {
  const took = (of: (times: number[]) => number) => parts.map(({ times }) => (times.length === 0 ? null : of(times)));
  return {
    times: parts.map((part) => part.from),
    status: [
      { label: t("fulfilled"), values: parts.map((part) => part.fulfilled), colour: "success" as const },
      { label: t("failed"), values: parts.map((part) => part.failed), colour: "danger" as const },
    ],
    took: [
      { label: t("median"), values: took(median), colour: "brand" as const },
      { label: t("slowest"), values: took((times) => times.at(-1)!), colour: "warning" as const },
    ],
  };
}

const median = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)]!;
