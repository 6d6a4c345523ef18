import { useSignal } from "@preact/signals";
import { Plus } from "lucide-preact";
import { useLocation } from "preact-iso";

import { api, ask } from "~/api/client";
import { command } from "~/api/requests";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { mayChange } from "~/session";
import { useKeys } from "~/shell/keys";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Badge } from "~/ui/badge";
import { Empty } from "~/ui/empty";
import { useFilter } from "~/ui/filter";
import { List } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";
import { longer, More } from "~/ui/more";
import { NameSearch } from "~/ui/named";
import { Page } from "~/ui/page";
import { useMaking } from "~/ui/use-making";
import { NewFunction } from "./new-function";

type CloudFunction = components["schemas"]["ListedFunction"];

const t = texts({
  title: ["Functions", "云函数"],
  new: ["New function", "新建云函数"],
  name: ["Name", "名称"],
  remark: ["Remark", "备注"],
  version: ["Version", "版本"],
  changed: ["Updated", "修改时间"],
  by: ["Updated by", "修改人"],
  none: ["No functions yet", "还没有云函数"],
  teach: [
    "A function is JavaScript code that runs when you call it, when a trigger fires, or at a scheduled time. Create a function to get started.",
    "云函数是在这里运行的 JavaScript：可直接调用、由触发器触发或定时运行。",
  ],
  approved: ["approved", "已通过"],
  rejected: ["rejected", "已拒绝"],
  waiting: ["in review", "审核中"],
});

const PAGE = 50;
const FIRST = { name: "greet", function_code: "exports.main = async (event) => event.data" };
const AUDIT_TONE = { approved: "good", rejected: "bad", waiting: "busy" } as const;

/** Every function of the environment. */
export function Functions() {
  const { route } = useLocation();
  const making = useMaking();
  const limit = useSignal(PAGE);
  const named = useFilter<string>("name");
  const functions = useLoad(() => {
    const query = { limit: limit.value, keys: "-function_code", name__contains: named.value || undefined } as const;
    return ask(api.GET("/oserve/v1.3/cloud-function/", { params: { query } }));
  }, [place.value, limit.value, named.value]);
  const add = () => (making.value = mayChange.value);
  const hrefOf = (f: CloudFunction) => link("functions", f.name);
  useKeys([{ keys: "c", label: t("new"), run: add }]);

  const button = (
    <button class="wa-brand" disabled={!mayChange.value} onClick={add} title={`${t("new")} (c)`}>
      <Plus size={16} /> {t("new")}
    </button>
  );

  return (
    <Page title={t("title")} actions={button}>
      {(named.value || functions.data?.objects.length !== 0) && (
        <div class="row filters" role="search">
          <NameSearch filter={named} />
        </div>
      )}
      <Load from={functions}>
        {({ objects, meta }) =>
          objects.length === 0 && named.value ? (
            <p class="quiet">{common("noneNamed")}</p>
          ) : objects.length === 0 ? (
            <Empty title={t("none")} curl={command("/oserve/v1.3/cloud-function/", FIRST)} action={button}>
              <p>{t("teach")}</p>
            </Empty>
          ) : (
            <>
              <List
                label={t("title")}
                rows={objects}
                rowKey={(f) => f.id}
                href={hrefOf}
                columns={[
                  { label: t("name"), by: (f) => f.name, cell: (f) => <a href={hrefOf(f)}>{f.name}</a> },
                  { label: t("remark"), cell: (f) => <span class="quiet clip">{f.remark}</span> },
                  {
                    label: t("version"), by: (f) => f.version,
                    numeric: true,
                    cell: (f) => f.version,
                  },
                  { label: "", cell: (f) => f.audit_status !== "approved" && <Badge tone={AUDIT_TONE[f.audit_status]}>{t(f.audit_status)}</Badge> },
                  { label: t("changed"), by: (f) => f.updated_at, cell: (f) => <Ago at={f.updated_at} /> },
                  { label: t("by"), by: (f) => f.updated_by, cell: (f) => f.updated_by },
                ]}
              />
              <More meta={meta} onMore={() => (limit.value = longer(limit.value, PAGE))} />
            </>
          )
        }
      </Load>
      <NewFunction open={making.value} onClose={() => (making.value = false)} onMade={(name) => route(link("functions", name))} />
    </Page>
  );
}
