import type { components } from "~/api/schema";
import { texts } from "~/text";

/** A dead letter, and the kind of its queue. */
export type Letter = components["schemas"]["DeadLetter"];
export type Kind = Letter["kind"];

/** The queues, in the order they are shown. */
export const KINDS: readonly Kind[] = ["job", "action", "bulk", "table_work", "event", "record"];

/** The names of the queues. */
export const kindWords = texts({
  action: ["Trigger actions", "触发器动作"],
  bulk: ["Bulk operations", "批量操作"],
  event: ["Events", "事件"],
  job: ["Function runs", "云函数运行"],
  record: ["Row counts", "计数"],
  table_work: ["Table maintenance", "数据表维护"],
} satisfies Record<Kind, readonly [string, string]>);

/** The effect of redriving a dead letter, by its queue. */
export const repairWords = texts({
  action: [
    "Redriving runs the action again, unless it has finished in the meantime. An action never takes effect twice.",
    "重新投递将执行该动作；若已执行或已放弃，则不会重复执行。",
  ],
  bulk: ["Redriving continues the operation where it stopped.", "重新投递将从中断处继续该操作。"],
  event: [
    "Redriving processes the event again. A payment changes its order only once, and an event fires a trigger only once.",
    "重新投递将再次处理该事件：同一支付只会更改订单一次，同一事件只会触发一次。",
  ],
  job: [
    "Redriving starts the run if it is still waiting. If its worker stopped while the run was in progress, the run has failed: start it again from its page.",
    "若该运行仍在等待，重新投递会启动它；已开始但工作进程中断的运行已被结束，请在其页面重新运行。",
  ],
  none: [
    "Redriving would fail for the same reason. Save the row in its table again, or replay it from the trigger's log.",
    "再次投递仍会被拒绝。相关数据仍在表中：请重新写入该行，或重放触发器日志。",
  ],
  record: [
    "These row changes were not counted and can't be redriven. Totals may be wrong until you run make recount REPAIR=1.",
    "这些变更未被计数且流已继续；在重新计数（make recount REPAIR=1）之前总数可能有偏差。",
  ],
  table_work: ["Redriving repeats the build or the cleanup. Repeating it is safe.", "重新投递将再次构建或清理，重复执行不会有影响。"],
} satisfies Record<Kind | "none", readonly [string, string]>);
