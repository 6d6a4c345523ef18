import { UserRoundCheck } from "lucide-preact";

import { acting, stopActing } from "../acting";
import { link } from "../place";
import { runnerOpen } from "../runner/state";
import { texts } from "../text";

const t = texts({
  as: ["Acting as {name}", "正在以 {name} 的身份操作"],
  run: ["Run a function", "运行云函数"],
  stop: ["Stop", "停止"],
  what: ["Functions that you run see this user as the caller. Everything else is done as yourself.", "您运行的云函数会将该用户视为调用者，其他操作仍以您本人身份进行。"],
});

/** Says on every page as whom functions are run. */
export function ActingBanner() {
  const user = acting.value?.user;
  if (!user) return null;
  return (
    <div class="acting" role="status">
      <UserRoundCheck size={16} />
      <strong>
        <a href={link("users", user.id)}>
          <bdi>{t("as", { name: user.nickname || String(user.id) })}</bdi>
        </a>
      </strong>
      <span class="hint">{t("what")}</span>
      <span class="grow" />
      <button onClick={() => (runnerOpen.value = true)}>{t("run")}</button>
      <button class="wa-brand" onClick={stopActing}>
        {t("stop")}
      </button>
    </div>
  );
}
