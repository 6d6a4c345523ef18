import { UserRoundCheck } from "lucide-preact";

import { acting, actingName, stopActing } from "../acting";
import { link } from "../place";
import { runnerOpen } from "../runner/state";
import { texts } from "../text";

const t = texts({
  as: ["Acting as {name}", "正在以 {name} 的身份操作"],
  run: ["Run a function", "运行云函数"],
  stop: ["Stop", "停止"],
  tables: ["View tables", "查看数据表"],
  what: [
    "Functions that you run see this user as the caller, and tables show the rows that this user can read. Everything else is done as yourself.",
    "您运行的云函数会将该用户视为调用者，数据表只显示该用户可读的数据。其他操作仍以您本人身份进行。",
  ],
});

/** Says on every page as whom functions are run and rows are read. */
export function ActingBanner() {
  const user = acting.value?.user;
  if (!user) return null;
  return (
    <div class="acting" role="status">
      <UserRoundCheck size={16} />
      <strong>
        <a href={link("users", user.id)}>
          <bdi>{t("as", { name: actingName.value! })}</bdi>
        </a>
      </strong>
      <span class="hint">{t("what")}</span>
      <a class="button" href={link("tables")}>
        {t("tables")}
      </a>
      <button onClick={() => (runnerOpen.value = true)}>{t("run")}</button>
      <button class="wa-brand" onClick={stopActing}>
        {t("stop")}
      </button>
    </div>
  );
}
