import type { CompletionContext } from "@codemirror/autocomplete";

import { Editor } from "~/editor/editor";
import { runnerOpen, runnerPayload } from "~/runner/state";
import { mayChange } from "~/session";
import { useShownKeys } from "~/shell/keys";
import { texts } from "~/text";
import { part } from "~/ui/lazy";
import { diagnose } from "./diagnose";

const t = texts({
  code: ["Code", "代码"],
  complete: ["Editor: autocomplete", "编辑器：补全"],
  find: ["Editor: find and replace", "编辑器：查找与替换"],
  keys: [
    "Ctrl+Space autocompletes, Ctrl+S saves a new version, Ctrl+Enter opens the runner. To leave the editor, press Escape, then Tab.",
    "Ctrl+Space 补全，Ctrl+S 保存为新版本，Ctrl+Enter 打开运行器，先按 Escape 再按 Tab 离开编辑器。",
  ],
});

/** The code of a function, with completion from the declarations, checked by the platform's compiler. */
export function Code({ value, onChange, onSave }: { value: string; onChange: (value: string) => void; onSave: () => void }) {
  useShownKeys([
    { keys: "Ctrl+Space", label: t("complete") },
    { keys: "Ctrl+F", label: t("find") },
  ]);

  return (
    <div class="tall">
      <Editor
        label={t("code")}
        language="javascript"
        value={value}
        readOnly={!mayChange.value}
        onChange={onChange}
        onSave={onSave}
        onRun={() => (runnerOpen.value = true)}
        check={(code) => diagnose(code).catch(() => [])}
        complete={complete}
      />
      <p class="hint">{t("keys")}</p>
    </div>
  );
}

/** The completion table is loaded when the first word is typed. */
async function complete(context: CompletionContext) {
  const { complete } = await part(import("~/editor/complete"));
  return complete(context, fieldsOf(runnerPayload.value));
}

/** The fields of the runner's input: event.data of the next run has them. */
function fieldsOf(payload: string): string[] {
  try {
    return Object.keys(JSON.parse(payload)).filter((name) => /^[\w$]+$/.test(name));
  } catch {
    return [];
  }
}
