import { useLocation } from "preact-iso";

import { api, ask } from "~/api/client";
import { command } from "~/api/requests";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { common, texts } from "~/text";
import { Choice } from "~/ui/choice";
import { Empty } from "~/ui/empty";
import { useFilter } from "~/ui/filter";
import { Load } from "~/ui/load";
import { More, usePages } from "~/ui/more";
import { useNewButton } from "~/ui/new-button";
import { Page } from "~/ui/page";
import { Search } from "~/ui/search";
import { Tabs } from "~/ui/tabs";
import { Views } from "~/ui/views";
import { Log } from "./log";
import { TriggerMap } from "./map";
import { TriggerList } from "./trigger-list";
import { triggerTypes, typeWords } from "./words";

type TriggerType = components["schemas"]["TriggerType"];

const t = texts({
  disabled: ["disabled", "已停用"],
  enabled: ["enabled", "已启用"],
  log: ["All logs", "全部日志"],
  map: ["Trigger map", "触发关系"],
  new: ["New trigger", "新建触发器"],
  none: ["No triggers yet", "还没有触发器"],
  noneLike: ["No triggers match these filters.", "没有符合条件的触发器。"],
  teach: [
    "A trigger waits for an event – a row change, a payment, a schedule, a call – and then runs actions: it sends email, calls a webhook, runs a function. Create a trigger to get started.",
    "触发器等待某件事发生（数据变化、支付成功、定时、外部调用），然后执行动作：发邮件、调用 Webhook、运行云函数等。",
  ],
  traced: ["Tracing on", "保留追踪"],
  type: ["Type", "触发类型"],
});

const PAGE = 50;
const FIRST = { name: "called", type: "incoming_webhook", condition: {}, actions: [{ type: "cloud_function", settings: { function: "greet" } }] };

/** The list of triggers, and the log of all of them. */
export function Triggers() {
  const { route } = useLocation();
  const button = useNewButton(t("new"), () => route(link("triggers", "new")));
  return (
    <Page title={common("triggers")} actions={button}>
      <Tabs
        label={common("triggers")}
        tabs={[
          { key: "triggers", label: common("triggers"), panel: () => <All button={button} /> },
          { key: "log", label: t("log"), panel: () => <Log /> },
          { key: "map", label: t("map"), panel: () => <TriggerMap /> },
        ]}
      />
    </Page>
  );
}

function All({ button }: { button: preact.ComponentChildren }) {
  const type = useFilter<TriggerType | "">("type");
  const enabled = useFilter<"" | "1" | "0">("enabled");
  const traced = useFilter<"" | "1" | "0">("trace");
  const named = useFilter<string>("name");
  const query = {
    type: type.value || undefined,
    enabled: enabled.value || undefined,
    trace: traced.value || undefined,
    name__contains: named.value || undefined,
  };
  const triggers = usePages(
    PAGE,
    (limit) => ask(api.GET("/oserve/v3/trigger/", { params: { query: { ...query, limit, detail: "1" } } })),
    [place.value, ...Object.values(query)],
  );

  return (
    <>
      <div class="row filters" role="search">
        <Search filter={named} />
        <Choice label={t("type")} values={triggerTypes} words={typeWords} filter={type} />
        <Choice
          label={common("status")}
          values={["1", "0"]}
          words={(value) => t(value === "1" ? "enabled" : "disabled")}
          filter={enabled}
        />
        <Choice
          label={t("traced")}
          values={["1", "0"]}
          words={(value) => common(value === "1" ? "yes" : "no")}
          filter={traced}
        />
        <Views list="triggers" />
      </div>
      <Load from={triggers}>
        {({ objects, meta, newest = [], tables = [] }) =>
          objects.length > 0 ? (
            <>
              <TriggerList triggers={objects} newest={newest} tables={tables} onChanged={triggers.reload} />
              <More meta={meta} onMore={triggers.more} />
            </>
          ) : named.value || type.value || enabled.value || traced.value ? (
            <p class="quiet">{t("noneLike")}</p>
          ) : (
            <Empty title={t("none")} curl={command("/oserve/v3/trigger/", FIRST)} action={button}>
              <p>{t("teach")}</p>
            </Empty>
          )
        }
      </Load>
    </>
  );
}
