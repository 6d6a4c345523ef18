import { useLocation } from "preact-iso";

import { api, ask } from "~/api/client";
import { command } from "~/api/requests";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Badge } from "~/ui/badge";
import { Empty } from "~/ui/empty";
import { useFilter } from "~/ui/filter";
import { LoadedList } from "~/ui/loaded-list";
import { usePages } from "~/ui/more";
import { useNewButton } from "~/ui/new-button";
import { Page } from "~/ui/page";
import { Search } from "~/ui/search";
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
  const named = useFilter<string>("name");
  const functions = usePages(
    PAGE,
    (limit) => {
      const query = { limit, keys: "-function_code", name__contains: named.value || undefined } as const;
      return ask(api.GET("/oserve/v1.3/cloud-function/", { params: { query } }));
    },
    [place.value, named.value],
  );
  const hrefOf = (f: CloudFunction) => link("functions", f.name);
  const button = useNewButton(t("new"), () => (making.value = true));
  const none = named.value ? (
    common("noneNamed")
  ) : (
    <Empty title={t("none")} curl={command("/oserve/v1.3/cloud-function/", FIRST)} action={button}>
      <p>{t("teach")}</p>
    </Empty>
  );

  return (
    <Page title={t("title")} actions={button}>
      {(named.value || functions.data?.objects.length !== 0) && (
        <div class="row filters" role="search">
          <Search filter={named} />
        </div>
      )}
      <LoadedList
        label={t("title")}
        from={functions}
        none={none}
        rowKey={(f) => f.id}
        href={hrefOf}
        columns={[
          { label: t("name"), by: (f) => f.name, cell: (f) => <a href={hrefOf(f)}>{f.name}</a> },
          { label: t("remark"), cell: (f) => <span class="quiet clip">{f.remark}</span> },
          { label: t("version"), by: (f) => f.version, numeric: true, cell: (f) => f.version },
          { label: "", cell: (f) => f.audit_status !== "approved" && <Badge tone={AUDIT_TONE[f.audit_status]}>{t(f.audit_status)}</Badge> },
          { label: t("changed"), by: (f) => f.updated_at, cell: (f) => <Ago at={f.updated_at} /> },
          { label: t("by"), by: (f) => f.updated_by, cell: (f) => f.updated_by },
        ]}
      />
      <NewFunction open={making.value} onClose={() => (making.value = false)} onMade={(name) => route(link("functions", name))} />
    </Page>
  );
}
