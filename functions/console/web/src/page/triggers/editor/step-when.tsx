import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { typeWords } from "../words";
import { Switch, TextField } from "./controls";
import { useForm } from "./form";
import { CONDITIONS, teach } from "./step-if";

const t = texts({
  description: ["Description", "描述"],
  fixed: ["The trigger type can't be changed later.", "触发类型创建后不可更改。"],
  trace: ["Keep evaluation history (otherwise kept for the first day only)", "始终保留触发评估记录（首日默认保留）"],
  type: ["Trigger type", "触发类型"],
});

/** The first step: the name and the trigger type. */
export function StepWhen({ isNew }: { isNew: boolean }) {
  const { draft, choices } = useForm();

  /** Another type has another condition, and may not do all that the last one might. */
  function choose(type: keyof typeof CONDITIONS) {
    const { actions = [] } = draft.value as { actions?: { type: string }[] };
    const allowed: string[] = choices.types.find((choice) => choice.type === type)!.actions;
    draft.value = {
      ...draft.value,
      type,
      condition: CONDITIONS[type].first,
      actions: actions.filter((action) => allowed.includes(action.type)),
    };
  }

  return (
    <>
      <TextField path="name" label={common("name")} autofocus={isNew} />
      <TextField path="description" label={t("description")} />
      <fieldset>
        <legend>{t("type")}</legend>
        <div class="cards type-choices">
          {choices.types.map(({ type }) => (
            <label key={type} class={"card type-choice" + (draft.value.type === type ? " chosen" : "")}>
              <span class="row">
                <input
                  type="radio"
                  name="type"
                  aria-label={typeWords(type)}
                  value={type}
                  disabled={!isNew || !mayChange.value}
                  checked={draft.value.type === type}
                  onChange={() => choose(type)}
                />
                <strong>{typeWords(type)}</strong>
              </span>
              <span class="hint">{teach(type)}</span>
            </label>
          ))}
        </div>
        {!isNew && <p class="hint">{t("fixed")}</p>}
      </fieldset>
      <Switch path="trace" label={t("trace")} />
    </>
  );
}
