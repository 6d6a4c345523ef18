import { useSignal } from "@preact/signals";
import { RotateCcw } from "lucide-preact";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { exact } from "~/format";
import { place } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Choice } from "~/ui/choice";
import { confirm } from "~/ui/confirm";
import { Empty } from "~/ui/empty";
import { ErrorNote } from "~/ui/error-note";
import { useFilter } from "~/ui/filter";
import { Do } from "~/ui/form";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";
import { toast } from "~/ui/toast";
import { LetterDialog } from "./letter";
import { LetterList } from "./letter-list";
import { progress, type Repair, repair, type Which } from "./repair";
import { type Kind, KINDS, kindWords, type Letter } from "./words";

type Queue = components["schemas"]["DeadLetterQueue"];

const t = texts({
  all: ["Redrive all", "全部重新投递"],
  deleteAll: ["Delete all…", "全部删除…"],
  deleteText: ["This permanently deletes {n:message|messages} ({kind}). They will not be processed.", "将永久删除 {kind} 中的 {n} 条，之后不再处理。"],
  deleteTitle: ["Delete dead letters?", "删除死信？"],
  deleted: ["{done} deleted", "已删除 {done} 条"],
  more: ["Only the first messages are shown. Resolve these to see the rest.", "数量较多，仅显示部分；请先处理这些。"],
  none: ["No dead letters", "没有死信"],
  others: ["{n} outside this application", "其他 {n} 条"],
  othersText: ["Dead letters of other applications, or of no application, are counted here but not shown.", "其他应用或不属于任何应用的死信仅计数。"],
  progress: ["{done} of {total}", "{done}/{total}"],
  queue: ["Queue", "队列"],
  queues: ["Queues", "队列"],
  redriveText: ["This sends {n:message|messages} ({kind}) to their queue again.", "将把 {kind} 中的 {n} 条重新投递到队列。"],
  redriveTitle: ["Redrive dead letters?", "重新投递死信？"],
  redriven: ["{done} redriven, {kept} can't be redriven", "已重新投递 {done} 条，{kept} 条无法投递"],
  teach: [
    "Messages that keep failing, and events that can't be processed, end up here. For 14 days you can inspect them, redrive them (send them to their queue again), or delete them. Each queue raises an alarm.",
    "反复失败的任务和无法处理的事件会进入死信队列，保留 14 天，可查看、重新投递或删除；每个队列都有告警。",
  ],
  text: ["Messages that failed permanently, from all environments of this application. They are kept for 14 days.", "本应用所有环境中被放弃的内容，保留 14 天。"],
  title: ["Dead letters", "死信"],
});

/** The page of dead letters, and their repair. */
export function Letters() {
  const kind = useFilter<"" | Kind>("kind");
  const chosen = useSignal<Letter | undefined>(undefined);
  const action = useAction();
  const app = place.value?.app ?? 0;
  const found = useLoad(() => ask(api.GET("/console/api/application/{application}/dead-letter/", { params: { path: { application: app } } })), [app]);

  async function run(how: Repair, of: Kind, which: Which, n: number) {
    const question = { n, kind: kindWords(of) };
    const agreed =
      how === "delete"
        ? await confirm({ title: t("deleteTitle"), text: t("deleteText", question), action: common("delete"), name: of })
        : n === 1 || (await confirm({ title: t("redriveTitle"), text: t("redriveText", question), action: t("all") }));
    if (!agreed) return;
    await action.run(async () => {
      const sum = await repair(how, of, which, n);
      toast(t(how === "delete" ? "deleted" : "redriven", sum), sum.kept > 0 ? "bad" : "good");
    });
    chosen.value = undefined;
    await found.reload();
  }

  const reload = (
    <button onClick={found.reload}>
      <RotateCcw size={16} /> {common("reload")}
    </button>
  );
  return (
    <Page title={t("title")} actions={reload}>
      <p class="hint">{t("text")}</p>
      <ErrorNote error={action.failure.value} />
      {progress.value && (
        <p role="status">
          <progress value={progress.value.done} max={Math.max(1, progress.value.total)} aria-label={t("title")} /> {t("progress", progress.value)}
        </p>
      )}
      <Load from={found}>
        {({ at, queues, objects }) => (
          <>
            <Queues queues={queues} onRun={(how, of, n) => run(how, of, { before: at }, n)} />
            {objects.length === 0 ? (
              <Empty title={t("none")}>
                <p>{t("teach")}</p>
              </Empty>
            ) : (
              <>
                <div class="row filters" role="search">
                  <Choice label={t("queue")} values={KINDS} words={(value) => kindWords(value)} filter={kind} />
                </div>
                <LetterList
                  letters={objects.filter((letter) => kind.value === "" || letter.kind === kind.value)}
                  onChoose={(letter) => (chosen.value = letter)}
                  onRun={run}
                />
              </>
            )}
          </>
        )}
      </Load>
      <LetterDialog letter={chosen.value} onClose={() => (chosen.value = undefined)} onRun={run} />
    </Page>
  );
}

/** The queues with dead letters, and the actions on all of a queue. */
function Queues({ queues, onRun }: { queues: Queue[]; onRun: (how: Repair, kind: Kind, n: number) => Promise<void> }) {
  const full = queues.filter(({ letters, others }) => letters > 0 || (others ?? 0) > 0);
  if (full.length === 0) return null;
  return (
    <>
      <ul class="letter-queues" aria-label={t("queues")}>
        {full.map(({ kind, letters, others, more }) => (
          <li key={kind} class="row">
            <span class="grow">
              <b>{kindWords(kind)}</b> {exact(letters)}
              {others ? <span class="quiet"> · {t("others", { n: exact(others) })}</span> : null}
            </span>
            {letters > 0 && (
              <>
                <Do disabled={!mayChange.value || kind === "record"} onClick={() => onRun("redrive", kind, letters)}>
                  {t("all")}
                </Do>
                <Do disabled={!mayChange.value} onClick={() => onRun("delete", kind, letters)}>
                  {t("deleteAll")}
                </Do>
              </>
            )}
            {more && <span class="hint">{t("more")}</span>}
          </li>
        ))}
      </ul>
      {full.some(({ others }) => (others ?? 0) > 0) && <p class="hint">{t("othersText")}</p>}
    </>
  );
}
