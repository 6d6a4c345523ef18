import { Plus, Trash2 } from "lucide-preact";

import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { actionWords } from "../words";
import { Flow } from "./flow";
import { useForm, useMember } from "./form";
import type { Draft } from "./lens";
import { ACTIONS, type ActionType } from "./settings";

const t = texts({
  add: ["Add", "添加"],
  none: ["Choose an action.", "选择要执行的动作。"],
  flow: ["Frequency and flow control", "频率与流量控制"],
});

const MAX_ACTIONS = 10;

/** The third step: the actions. It offers those that the trigger type may have. */
export function StepThen() {
  const { draft, choices } = useForm();
  const { value: actions = [], set, wrong } = useMember<Draft[]>("actions");
  const allowed = choices.types.find((choice) => choice.type === draft.value.type)?.actions ?? [];
  return (
    <>
      {actions.map((action, i) => (
        <ActionCard
          key={(action.id as number | undefined) ?? `new ${i}`}
          path={`actions[${i}]`}
          type={action.type as ActionType}
          onRemove={() => set(actions.filter((_, other) => other !== i))}
        />
      ))}
      {actions.length === 0 && <p class="quiet">{t("none")}</p>}
      {wrong && <p class="hint bad">{wrong}</p>}
      <div class="row" role="group" aria-label={t("add")}>
        {allowed.map((type) => (
          <button
            key={type}
            type="button"
            disabled={!mayChange.value || actions.length >= MAX_ACTIONS}
            onClick={() => set([...actions, { type, settings: ACTIONS[type].first }])}
          >
            <Plus size={16} /> {actionWords(type)}
          </button>
        ))}
      </div>
    </>
  );
}

function ActionCard({ path, type, onRemove }: { path: string; type: ActionType; onRemove: () => void }) {
  const { Settings } = ACTIONS[type];
  const { wrong } = useMember(path + ".type");
  const flow = useMember<Draft>(path + ".flow").value;
  const frequency = useMember<{ mode: string }>(path + ".frequency").value;
  const limited = (flow && Object.keys(flow).length > 0) || (frequency && frequency.mode !== "repeatable");
  return (
    <section class="card action" aria-label={actionWords(type)}>
      <div class="dialog-head">
        <h2>{actionWords(type)}</h2>
        <button type="button" class="icon" disabled={!mayChange.value} aria-label={`${common("delete")}: ${actionWords(type)}`} onClick={onRemove}>
          <Trash2 size={16} />
        </button>
      </div>
      {wrong && <p class="hint bad">{wrong}</p>}
      <Settings path={path + ".settings"} />
      <details open={limited}>
        <summary>{t("flow")}</summary>
        <Flow path={path} type={type} />
      </details>
    </section>
  );
}
