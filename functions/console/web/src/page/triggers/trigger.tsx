import { Trash2 } from "lucide-preact";
import { useLocation, useRoute } from "preact-iso";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { ErrorNote } from "~/ui/error-note";
import { Do } from "~/ui/form";
import { Json } from "~/ui/json";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";
import { Tabs } from "~/ui/tabs";
import { HookCalls } from "./hook-calls";
import { HookAddress, Keys, NewKeys } from "./keys";
import { Log } from "./log";
import { TriggerBadge } from "./trigger-list";
import { Try } from "./try";
import { Why } from "./why";
import { typeWords } from "./words";

type Trigger = components["schemas"]["Trigger"];

const t = texts({
  calls: ["Calls", "调用记录"],
  definition: ["Definition", "定义"],
  deleteText: ["The trigger stops firing immediately. This can't be undone. Log entries stay until they expire.", "它将不再触发；日志保留到期。"],
  deleteTitle: ["Delete {name}?", "删除 {name}？"],
  disable: ["Disable", "停用"],
  enable: ["Enable", "启用"],
  keys: ["Keys", "密钥"],
  try: ["Try", "试运行"],
  firesOn: ["Fires on: {what}", "等待：{what}"],
  evaluations: ["Evaluations", "为何（未）触发"],
});

/** The page of a trigger: its log, its evaluations, its definition. */
export function TriggerPage() {
  const { route } = useLocation();
  const id = Number(useRoute().params.trigger);
  const params = { path: { trigger: id } };
  const { failure, run, confirmed } = useAction();
  const found = useLoad(() => ask(api.GET("/oserve/v3/trigger/{trigger}/", { params })), [id, place.value]);
  const name = found.data?.name ?? String(id);

  const enable = (enabled: boolean) =>
    run(async () => {
      await ask(api.PUT("/oserve/v3/trigger/{trigger}/", { params, body: { enabled } }));
      await found.reload();
    });

  const remove = () =>
    confirmed({ title: t("deleteTitle", { name }), text: t("deleteText"), action: common("delete"), name }, async () => {
      await ask(api.DELETE("/oserve/v3/trigger/{trigger}/", { params }));
      route(link("triggers"));
    });

  const actions = found.data && (
    <>
      <Do disabled={!mayChange.value} onClick={() => enable(!found.data!.enabled)}>
        {found.data.enabled ? t("disable") : t("enable")}
      </Do>
      <a class="button" href={link("triggers", id, "edit")}>
        {common("edit")}
      </a>
      <Do class="icon" disabled={!mayChange.value} title={common("delete")} aria-label={common("delete")} onClick={remove}>
        <Trash2 size={16} />
      </Do>
    </>
  );
  return (
    <Page title={name} crumbs={[{ label: common("triggers"), href: link("triggers") }]} actions={actions}>
      <ErrorNote error={failure.value} />
      <Load from={found}>{(trigger) => <Details trigger={trigger} onChanged={found.reload} />}</Load>
      <NewKeys />
    </Page>
  );
}

function Details({ trigger, onChanged }: { trigger: Trigger; onChanged: () => Promise<void> }) {
  const hasKeys = trigger.actions.some((action) => action.type === "webhook");
  const isHook = trigger.type === "incoming_webhook";
  return (
    <>
      <p class="row">
        <TriggerBadge trigger={trigger} /> <span>{t("firesOn", { what: typeWords(trigger.type) })}</span>
        <span class="quiet">{trigger.description}</span>
      </p>
      <ErrorNote error={trigger.broken} />
      {isHook && <HookAddress trigger={trigger.id} url={trigger.hook_url} onReset={onChanged} />}
      <Tabs
        label={trigger.name}
        tabs={[
          { key: "log", label: common("log"), panel: () => <Log trigger={trigger} /> },
          { key: "why", label: t("evaluations"), panel: () => <Why trigger={trigger} /> },
          { key: "try", label: t("try"), panel: () => <Try trigger={trigger} onEnabled={onChanged} /> },
          ...(hasKeys ? [{ key: "keys", label: t("keys"), panel: () => <Keys trigger={trigger} /> }] : []),
          ...(isHook ? [{ key: "calls", label: t("calls"), panel: () => <HookCalls trigger={trigger.id} /> }] : []),
          { key: "definition", label: t("definition"), panel: () => <Json value={trigger} /> },
        ]}
      />
    </>
  );
}
