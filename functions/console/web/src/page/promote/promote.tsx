import { ArrowLeftRight, ArrowRight } from "lucide-preact";
import { useLocation } from "preact-iso";

import type { components } from "~/api/schema";
import { link, place, PRODUCTION } from "~/place";
import { application } from "~/session";
import { texts } from "~/text";
import { Empty } from "~/ui/empty";
import { addressWith, useFilter } from "~/ui/filter";
import { Page } from "~/ui/page";
import { Tabs } from "~/ui/tabs";
import { Comparison } from "./comparison";
import type { Way } from "./data";
import { History } from "./history";

const t = texts({
  compare: ["Compare", "比较"],
  from: ["From", "来源"],
  history: ["History", "历史记录"],
  none: ["No test environment yet", "还没有测试环境"],
  settings: ["Add one in the settings", "前往设置添加"],
  swap: ["Swap environments", "交换方向"],
  teach: [
    "Try functions, tables, and triggers in a test environment, then promote them to production here. You can roll a promotion back.",
    "在测试环境中验证云函数、数据表和触发器，再从这里发布到生产环境，也可恢复。",
  ],
  title: ["Promote", "发布"],
  to: ["To", "目标"],
});

/** Carries functions, tables and triggers from one environment to another, and back. */
export function Promote() {
  const app = application.value;
  if (!app) return null;
  if (app.environments.length < 2) {
    return (
      <Page title={t("title")}>
        <Empty title={t("none")} action={<a href={link("settings")}>{t("settings")}</a>}>
          <p>{t("teach")}</p>
        </Empty>
      </Page>
    );
  }
  return <Between key={app.id} app={app} />;
}

function Between({ app }: { app: components["schemas"]["Application"] }) {
  const { route } = useLocation();
  const here = place.value!.env;
  const test = here === PRODUCTION ? app.environments.find((env) => env.id !== PRODUCTION)!.id : here;
  const from = useFilter("from", test);
  const to = useFilter("to", PRODUCTION);
  const way: Way = { from: from.value, to: to.value };

  /** Both at once: the address changes once. */
  function go(next: Way) {
    const params = new URLSearchParams(location.search);
    params.set("from", next.from);
    params.set("to", next.to);
    route(addressWith(params), true);
  }

  const choice = (label: string, chosen: string, other: string, onChoose: (env: string) => void) => (
    <label class="choice">
      {label}
      <select value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
        {app.environments.map((env) => (
          <option key={env.id} value={env.id} disabled={env.id === other}>
            {env.name}
          </option>
        ))}
      </select>
    </label>
  );

  const panels = [
    { key: "compare", label: t("compare"), panel: () => <Comparison key={way.from + way.to} app={app.id} way={way} /> },
    { key: "history", label: t("history"), panel: () => <History app={app.id} /> },
  ];
  return (
    <Page title={t("title")}>
      <div class="row filters">
        {choice(t("from"), way.from, way.to, (env) => go({ ...way, from: env }))}
        <ArrowRight class="arrow" size={16} />
        {choice(t("to"), way.to, way.from, (env) => go({ ...way, to: env }))}
        <button class="icon" title={t("swap")} aria-label={t("swap")} onClick={() => go({ from: way.to, to: way.from })}>
          <ArrowLeftRight size={16} />
        </button>
      </div>
      <Tabs label={t("title")} tabs={panels} />
    </Page>
  );
}
