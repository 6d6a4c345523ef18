import { linkIn } from "~/place";
import { texts } from "~/text";
import type { Letter } from "./words";

const t = texts({
  index: ["Index {name} of table {table}", "数据表 {table} 的索引 {name}"],
  job: ["Run {job} of {name}", "{name} 的运行 {job}"],
  unknown: ["Unknown", "未说明"],
  operation: ["Bulk operation {id}", "操作 {id}"],
  changes: ["{n:row change|row changes} in {table}", "{table} 的 {n} 条记录"],
  action: ["Action of trigger {id}", "触发器 {id} 的动作"],
  table: ["Table {id}", "数据表 {id}"],
});

/** The subject of a dead letter, as a link if it has a page. */
export function About({ letter }: { letter: Letter }) {
  const { about, environment } = letter;
  const to = (...parts: (string | number)[]) => linkIn(environment, ...parts);

  if (about.job_id) {
    const text = t("job", { job: about.job_id, name: about.function ?? about.function_id ?? "" });
    return about.function ? <a href={to("functions", about.function, "runs", about.job_id)}>{text}</a> : <span>{text}</span>;
  }
  if (about.trigger_id) return <a href={to("triggers", about.trigger_id) + "?tab=log"}>{t("action", { id: about.trigger_id })}</a>;
  if (about.operation_id) return <span>{t("operation", { id: about.operation_id })}</span>;
  if (about.table_id) {
    const text = about.index ? t("index", { name: about.index, table: about.table_id }) : t("table", { id: about.table_id });
    return <a href={to("tables", about.table_id)}>{text}</a>;
  }
  if (about.records) return <span>{t("changes", { n: about.records, table: about.event ?? "" })}</span>;
  if (about.event === "payment" && about.subject) {
    return (
      <a class="clip" href={to("orders") + "?transaction_no=" + encodeURIComponent(about.subject)}>
        {`${about.event} ${about.subject}`}
      </a>
    );
  }
  return <span class="clip">{[about.event, about.subject].filter(Boolean).join(" ") || t("unknown")}</span>;
}
