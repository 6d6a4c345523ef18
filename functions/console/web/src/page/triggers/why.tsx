import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { place } from "~/place";
import { texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Badge } from "~/ui/badge";
import { Choice } from "~/ui/choice";
import { useFilter } from "~/ui/filter";
import { Load } from "~/ui/load";
import { More, usePages } from "~/ui/more";
import { Subject } from "./subject";

type Evaluation = components["schemas"]["Evaluation"];
type RuleResult = components["schemas"]["RuleResult"];
type Trigger = components["schemas"]["Trigger"];

const t = texts({
  fired: ["fired", "已触发"],
  held: ["Conditions met", "条件成立"],
  met: ["met", "满足"],
  none: [
    "No evaluations. They are recorded during the first day and while tracing is on.",
    "还没有评估过事件。首日内以及开启“追踪”期间会保留评估记录。",
  ],
  noneLike: ["None of the recorded evaluations has this result.", "保留的评估记录中没有此结果。"],
  not: ["Conditions not met", "条件不成立"],
  notMet: ["not met", "不满足"],
  result: ["Result", "结果"],
  seen: ["actual value", "实际"],
  waits: ["did not fire", "未触发"],
});

const PAGE = 50;

/** The evaluations of a trigger: which rules were met, which were not, and the actual values. */
export function Why({ trigger }: { trigger: Trigger }) {
  const path = { trigger: trigger.id };
  const result = useFilter<"" | "0" | "1">("held");
  const held = result.value || undefined;
  const evaluations = usePages(
    PAGE,
    (limit) => ask(api.GET("/oserve/v3/trigger/{trigger}/evaluation/", { params: { path, query: { limit, held } } })),
    [trigger.id, place.value, held],
  );
  return (
    <>
      <div class="row filters" role="search">
        <Choice label={t("result")} values={["1", "0"]} words={(value) => t(value === "1" ? "held" : "not")} filter={result} />
      </div>
      <Load from={evaluations}>
        {({ objects, meta }) => (
          <>
            {objects.length === 0 && <p class="quiet">{t(held === undefined ? "none" : "noneLike")}</p>}
            {objects.map((it) => (
              <OneEvaluation key={it.event_id} of={it} trigger={trigger} />
            ))}
            <More meta={meta} onMore={evaluations.more} />
          </>
        )}
      </Load>
    </>
  );
}

/** An evaluation: an event, and the result of every rule. */
export function OneEvaluation({ of, trigger }: { of: Evaluation; trigger: Trigger }) {
  return (
    <section class="card evaluation">
      <p class="row">
        <Badge tone={of.held ? "good" : "quiet"}>{of.held ? t("held") : t("not")}</Badge>
        <span>{of.kind}</span> <Subject id={of.subject_id} kind={of.kind} trigger={trigger} /> <Ago at={of.at} />
      </p>
      <Rules rules={of.rules ?? []} />
      {(of.actions ?? [])
        .filter((action) => !action.fired || action.why)
        .map((action) => (
          <p key={action.action} class="quiet">
            {action.action}: {action.fired ? t("fired") : t("waits")} – {action.why}
          </p>
        ))}
    </section>
  );
}

/** The rules of a condition with the actual values. */
export function Rules({ rules }: { rules: RuleResult[] }) {
  return (
    <ul class="rules">
      {rules.map((rule, i) => (
        <li key={i}>
          <Badge tone={rule.held ? "good" : "bad"}>{t(rule.held ? "met" : "notMet")}</Badge> <code>{rule.path}</code> {rule.operator}{" "}
          <code class="clip">{JSON.stringify(rule.operand)}</code> <span class="quiet">{t("seen")}</span>{" "}
          <code class="clip">{JSON.stringify(rule.seen) ?? "–"}</code>
        </li>
      ))}
    </ul>
  );
}
