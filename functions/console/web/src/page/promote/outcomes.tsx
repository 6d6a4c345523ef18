import { common, texts } from "~/text";
import { Badge, type Tone } from "~/ui/badge";
import { List } from "~/ui/list";
import { keyOf, kindWords, type Promotion, type Step } from "./data";

const t = texts({
  change: ["Change", "变更"],
  items: ["Items", "内容"],
  kind: ["Kind", "类型"],
});

/** The names of changes after they are made. */
const made = texts({
  added: ["added", "新增"],
  changed: ["changed", "修改"],
  removed: ["deleted", "删除"],
  same: ["none", "无"],
});

const states = texts({
  done: ["done", "完成"],
  failed: ["failed", "未完成"],
  pending: ["pending", "待处理"],
  reverted: ["rolled back", "已恢复"],
  kept: ["not rolled back", "未恢复"],
});

const TONES: Record<string, Tone> = { done: "good", failed: "bad", pending: "warn", reverted: "quiet", kept: "bad" };

function stateOf(step: Step): "done" | "failed" | "pending" | "reverted" | "kept" {
  if (step.reverted) return "reverted";
  if (step.revert_error) return "kept";
  return step.done ? "done" : step.pending ? "pending" : "failed";
}

/** The result of each item of a promotion. */
export function Outcomes({ promotion }: { promotion: Promotion }) {
  return (
    <List
      label={t("items")}
      rows={promotion.items}
      rowKey={keyOf}
      columns={[
        { label: t("kind"), cell: (step) => kindWords(step.kind) },
        { label: common("name"), cell: (step) => <code class="clip">{step.name}</code> },
        { label: t("change"), cell: (step) => made(step.change) },
        { label: common("result"), cell: (step) => <Badge tone={TONES[stateOf(step)]!}>{states(stateOf(step))}</Badge> },
        {
          label: common("error"),
          cell: (step) => (
            <span class="cause" lang="en">
              {step.revert_error || step.error || (step.reverted ? "" : step.warnings.join("; "))}
            </span>
          ),
        },
      ]}
    />
  );
}
