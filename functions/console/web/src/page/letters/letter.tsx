import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Copyable } from "~/ui/copy";
import { Dialog } from "~/ui/dialog";
import { Fact } from "~/ui/facts";
import { Do } from "~/ui/form";
import { About } from "./about";
import { reasonOf } from "./letter-list";
import type { Repair, Which } from "./repair";
import { type Kind, kindWords, type Letter, repairWords } from "./words";

const t = texts({
  subject: ["Subject", "关于"],
  body: ["Message body", "消息内容"],
  expires: ["Expires", "保留至"],
  id: ["Message ID", "消息 ID"],
  reason: ["Reason", "原因"],
  redrive: ["Redrive", "重新投递"],
  repair: ["Repair", "修复"],
  sent: ["Sent", "发送时间"],
});

/** A dead letter: its details and the actions on it. */
export function LetterDialog({
  letter,
  onClose,
  onRun,
}: {
  letter: Letter | undefined;
  onClose: () => void;
  onRun: (how: Repair, kind: Kind, which: Which, n: number) => Promise<void>;
}) {
  return (
    <Dialog wide title={letter ? kindWords(letter.kind) : ""} open={letter !== undefined} onClose={onClose}>
      {letter && (
        <>
          <dl class="facts">
            <Fact label={t("subject")}><About letter={letter} /></Fact>
            <Fact label={t("reason")}>{reasonOf(letter)}</Fact>
            <Fact label={t("sent")}><Ago at={letter.sent_at} /></Fact>
            <Fact label={t("expires")}><Ago at={letter.gone_at} /></Fact>
            <Fact label={t("id")}><Copyable text={letter.id} label={t("id")} /></Fact>
            <Fact label={t("repair")}>{repairWords(letter.repair === "none" ? "none" : letter.kind)}</Fact>
          </dl>
          <h3>{t("body")}</h3>
          <pre class="json" tabIndex={0}>
            {letter.body}
          </pre>
          <div class="dialog-foot">
            <Do class="wa-danger" disabled={!mayChange.value} onClick={() => onRun("delete", letter.kind, { ids: [letter.id] }, 1)}>
              {common("delete")}
            </Do>
            <Do
              class="wa-brand"
              disabled={!mayChange.value || letter.repair !== "redrive"}
              onClick={() => onRun("redrive", letter.kind, { ids: [letter.id] }, 1)}
            >
              {t("redrive")}
            </Do>
          </div>
        </>
      )}
    </Dialog>
  );
}
