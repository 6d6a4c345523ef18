import { texts } from "~/text";

const t = texts({ progress: ["{done} of {total} done, {failed} failed", "已完成 {done}/{total}，失败 {failed}"] });

/** How far something is that takes its time. */
export function Progress({ done, total, failed }: { done: number; total: number; failed: number }) {
  const label = t("progress", { done, total, failed });
  return (
    <p role="status">
      <progress value={done} max={Math.max(1, total)} aria-label={label} /> {label}
    </p>
  );
}
