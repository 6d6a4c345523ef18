import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { Difference } from "../editor/editor";
import type { Language } from "../editor/setup";
import { texts } from "../text";
import { Dialog } from "./dialog";
import { ErrorNote } from "./error-note";
import { Do } from "./form";

const t = texts({
  hint: [
    "Left: the saved version. Right: your version. Edit it here or copy lines with the arrows, then save it.",
    "左侧为当前已保存的内容，右侧为你的版本。可在此编辑或用箭头取用左侧的行，然后保存。",
  ],
  hintReadOnly: ["Left: the version you started from. Right: the saved version.", "左侧为你开始编辑时的内容，右侧为当前已保存的内容。"],
  later: ["Merge manually", "手动合并"],
  mine: ["Save my version", "保存我的版本"],
  theirs: ["Keep theirs", "采用对方的版本"],
  title: ["{name} was changed by someone else", "{name} 已被他人修改"],
});

/** A conflict with a write of somebody else: both texts, and the saved version. */
export type Clash = { before: string; after: string; tag: string };

/** Shows the version of somebody else, and asks which version to keep. */
export function Conflict({
  clash,
  name,
  language,
  editable = false,
  onTheirs,
  onMine,
  onMerge,
}: {
  clash: Clash | undefined;
  name: string;
  language: Language;
  /** The right side is the reader's own version, to be saved; otherwise it is the saved version. */
  editable?: boolean;
  onTheirs: () => void;
  onMine: (text: string) => Promise<unknown>;
  /** Continues with the reader's own version: the next save replaces the saved one. */
  onMerge: (text: string) => void;
}) {
  const text = useSignal("");
  const failure = useSignal<unknown>(undefined);
  useEffect(() => {
    text.value = clash?.after ?? "";
    failure.value = undefined;
  }, [clash]);

  /** One's own text may be wrong by now: then it stays here, with the reason. */
  async function take(answer: (text: string) => unknown) {
    try {
      await answer(text.value);
    } catch (error) {
      failure.value = error;
    }
  }

  /** Escape has closed it whatever stands here: a text that is wrong gives way to one's own as it was. */
  function close() {
    if (!clash) return;
    try {
      onMerge(text.value);
    } catch {
      onMerge(clash.after);
    }
  }

  return (
    <Dialog
      wide
      title={t("title", { name })}
      open={clash !== undefined}
      onClose={close}
      footer={
        <>
          <button type="button" onClick={onTheirs}>{t("theirs")}</button>
          <button type="button" onClick={() => take(onMerge)}>{t("later")}</button>
          <Do class="wa-danger" onClick={() => take(onMine)}>
            {t("mine")}
          </Do>
        </>
      }
    >
      <p class="hint">{t(editable ? "hint" : "hintReadOnly")}</p>
      {clash && (
        <Difference
          before={clash.before}
          after={clash.after}
          language={language}
          label={name}
          onChange={editable ? (next) => (text.value = next) : undefined}
        />
      )}
      <ErrorNote error={failure.value} />
    </Dialog>
  );
}
