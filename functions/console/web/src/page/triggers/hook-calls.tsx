import { api, ask } from "~/api/client";
import { bytes } from "~/format";
import { place } from "~/place";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Badge } from "~/ui/badge";
import { useLoad } from "~/ui/load";
import { LoadedList } from "~/ui/loaded-list";

const t = texts({
  calls: ["Calls", "调用记录"],
  fired: ["fired", "已触发"],
  ipAddress: ["IP address", "来源"],
  method: ["Method", "方法"],
  none: ["No calls yet. Calls to the trigger's URL appear here.", "还没有调用。"],
  rejected: ["rejected", "已拒绝"],
  size: ["Size", "大小"],
});

/** The last calls of a hook, including rejected ones. */
export function HookCalls({ trigger }: { trigger: number }) {
  const calls = useLoad(
    () => ask(api.GET("/oserve/v3/trigger/{trigger}/hook/", { params: { path: { trigger } } })),
    [trigger, place.value],
  );
  return (
    <LoadedList
      label={t("calls")}
      from={calls}
      none={t("none")}
      rowKey={(call) => call.id}
      columns={[
        { label: common("time"), by: (call) => call.at, cell: (call) => <Ago at={call.at} /> },
        { label: t("method"), cell: (call) => call.method },
        { label: t("ipAddress"), cell: (call) => call.remote_address },
        { label: t("size"), numeric: true, cell: (call) => bytes(call.size) },
        {
          label: common("result"),
          cell: (call) => (
            <>
              <Badge tone={call.fired ? "good" : "bad"}>{call.fired ? t("fired") : t("rejected")}</Badge> {call.reason}
            </>
          ),
        },
      ]}
    />
  );
}
