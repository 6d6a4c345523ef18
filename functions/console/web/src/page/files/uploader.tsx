import { useSignal } from "@preact/signals";
import { Upload } from "lucide-preact";

import type { components } from "~/api/schema";
import { bytes } from "~/format";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Field } from "~/ui/field";
import { NamedOptions } from "~/ui/options";
import { toast } from "~/ui/toast";
import { MOST_BYTES, upload } from "./upload";

const t = texts({
  category: ["Category", "分类"],
  choose: ["Choose files", "选择文件"],
  done: ["Uploaded {n:file|files}", "已上传 {n} 个文件"],
  drop: ["Drop files here. Up to {most} per file.", "将文件拖到此处，每个文件不超过 {most}。"],
  failed: ["{name}: {why}", "{name}：{why}"],
  none: ["None", "无"],
  tooLarge: ["larger than {most}. Upload it with the API.", "超过 {most}，请通过 API 上传。"],
  title: ["Upload files", "上传文件"],
  uploading: ["Uploading {at} of {n}…", "正在上传第 {at} 个，共 {n} 个…"],
});

type Category = components["schemas"]["ListedCategory"];
type Props = { open: boolean; categories: readonly Category[]; onClose: () => void; onUploaded: () => Promise<void> };

/** The dialog that uploads files, which are chosen or dropped. */
export function Uploader({ open, categories, onClose, onUploaded }: Props) {
  return (
    <Dialog title={t("title")} open={open} onClose={onClose}>
      <Area categories={categories} onClose={onClose} onUploaded={onUploaded} />
    </Dialog>
  );
}

function Area({ categories, onClose, onUploaded }: Omit<Props, "open">) {
  const category = useSignal("");
  const over = useSignal(false);
  const progress = useSignal<{ at: number; n: number } | undefined>(undefined);
  const failures = useSignal<string[]>([]);
  const batch = useSignal<readonly File[]>([]);
  const most = bytes(MOST_BYTES);

  /**
   * One after the other, so that a failure says which file it is about; the others go on. Files that are dropped
   * meanwhile are sent behind them.
   */
  async function send(files: readonly File[]) {
    if (progress.value) {
      batch.value = [...batch.value, ...files];
      return;
    }
    if (files.length === 0) return;
    batch.value = files;
    failures.value = [];
    for (let at = 0; at < batch.value.length; at++) {
      const file = batch.value[at] as File;
      progress.value = { at: at + 1, n: batch.value.length };
      try {
        if (file.size > MOST_BYTES) throw new Error(t("tooLarge", { most }));
        await upload(file, category.value);
      } catch (error) {
        failures.value = [...failures.value, t("failed", { name: file.name, why: (error as Error).message })];
      }
    }
    progress.value = undefined;
    const sent = batch.value.length - failures.value.length;
    if (sent > 0) {
      toast(t("done", { n: sent }));
      await onUploaded();
    }
    if (failures.value.length === 0) onClose();
  }

  return (
    <>
      <Field label={t("category")}>
        <select value={category.value} onChange={(event) => (category.value = event.currentTarget.value)}>
          <option value="">{t("none")}</option>
          <NamedOptions of={categories} />
        </select>
      </Field>
      <label
        class={over.value ? "drop-zone over" : "drop-zone"}
        onDragOver={(event) => {
          event.preventDefault();
          over.value = true;
        }}
        onDragLeave={() => (over.value = false)}
        onDrop={(event) => {
          event.preventDefault();
          over.value = false;
          void send([...(event.dataTransfer?.files ?? [])]);
        }}
      >
        <Upload size={24} aria-hidden="true" />
        <span>{t("drop", { most })}</span>
        <span class="button">{t("choose")}</span>
        <input
          type="file"
          multiple
          autofocus
          aria-label={t("choose")}
          disabled={!mayChange.value || progress.value !== undefined}
          onChange={(event) => void send([...(event.currentTarget.files ?? [])])}
        />
      </label>
      <p role="status">{progress.value && t("uploading", progress.value)}</p>
      {failures.value.map((failure) => (
        <ErrorNote key={failure} error={new Error(failure)} />
      ))}
      <div class="dialog-foot">
        <button type="button" onClick={onClose}>
          {common("close")}
        </button>
      </div>
    </>
  );
}
