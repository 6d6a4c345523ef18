import { useSignal } from "@preact/signals";

import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { List } from "~/ui/list";
import { About } from "./about";
import type { Repair, Which } from "./repair";
import { type Kind, KINDS, kindWords, type Letter } from "./words";

const t = texts({
  subject: ["Subject", "关于"],
  select: ["Select dead letter {about}", "选择 {about} 的死信"],
  selected: ["{n} selected", "已选 {n} 条"],
  delete: ["Delete selected…", "删除所选…"],
  failedAfter: ["failed after {n:attempt|attempts}", "尝试 {n} 次后放弃"],
  list: ["Dead letters", "死信"],
  queue: ["Queue", "队列"],
  reason: ["Reason", "原因"],
  redrive: ["Redrive selected", "重新投递所选"],
  redriven: ["redriven {n:time|times}", "已重新投递 {n} 次"],
  sent: ["Sent", "发送时间"],
});

/** Why a letter was given up, as far as anybody noted it. */
export function reasonOf(letter: Letter): string {
  const why = letter.reason || t("failedAfter", { n: letter.tries });
  return letter.redrives > 0 ? `${why} · ${t("redriven", { n: letter.redrives })}` : why;
}

/** The letters, of which some can be chosen. */
export function LetterList({
  letters,
  onChoose,
  onRun,
}: {
  letters: Letter[];
  onChoose: (letter: Letter) => void;
  onRun: (how: Repair, kind: Kind, which: Which, n: number) => Promise<void>;
}) {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const there = letters.filter(({ id }) => chosen.value.has(id));

  function toggle(id: string) {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  }

  async function runChosen(how: Repair) {
    for (const kind of KINDS) {
      const ids = there.filter((letter) => letter.kind === kind).map(({ id }) => id);
      if (ids.length > 0) await onRun(how, kind, { ids }, ids.length);
    }
  }

  return (
    <>
      {there.length > 0 && (
        <div class="row" role="toolbar">
          <span>{t("selected", { n: there.length })}</span>
          <button disabled={!there.some(({ repair }) => repair === "redrive")} onClick={() => runChosen("redrive")}>
            {t("redrive")}
          </button>
          <button class="wa-danger" onClick={() => runChosen("delete")}>
            {t("delete")}
          </button>
        </div>
      )}
      <List
        label={t("list")}
        rows={letters}
        rowKey={(letter) => letter.id}
        columns={[
          {
            label: "",
            cell: (letter) => (
              <input
                type="checkbox"
                aria-label={t("select", { about: letter.id })}
                disabled={!mayChange.value}
                checked={chosen.value.has(letter.id)}
                onChange={() => toggle(letter.id)}
              />
            ),
          },
          {
            label: t("sent"),
            cell: (letter) => (
              <button class="link" onClick={() => onChoose(letter)}>
                <Ago at={letter.sent_at} />
              </button>
            ),
          },
          { label: t("queue"), cell: (letter) => kindWords(letter.kind) },
          { label: t("subject"), cell: (letter) => <About letter={letter} /> },
          { label: common("environment"), cell: (letter) => <span class="clip">{letter.environment}</span> },
          { label: t("reason"), cell: (letter) => <span class="clip">{reasonOf(letter)}</span> },
        ]}
      />
    </>
  );
}
