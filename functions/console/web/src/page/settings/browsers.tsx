import { LogOut } from "lucide-preact";

import { api, ask } from "~/api/client";
import { ownsAll, refresh } from "~/session";
import { texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { Badge } from "~/ui/badge";
import { ErrorNote } from "~/ui/error-note";
import { useLoad } from "~/ui/load";
import { LoadedList } from "~/ui/loaded-list";

const t = texts({
  ipAddress: ["IP address", "地址"],
  browser: ["Browser", "浏览器"],
  expires: ["Expires", "到期"],
  everywhere: ["Sign out everywhere", "退出所有设备"],
  everywhereText: ["This signs out every browser, including this one if it is your own account.", "所有浏览器都需重新登录；如为自己的账号，也包括当前浏览器。"],
  thisBrowser: ["this browser", "当前"],
  none: ["No active sessions", "当前未登录。"],
  seen: ["Last seen", "最近活动"],
  signedIn: ["Signed in", "登录时间"],
  title: ["Sessions", "登录设备"],
});

/** The sessions of an administrator, and their end. */
export function Browsers({ account, own }: { account: number; own: boolean }) {
  const action = useAction();
  const params = { path: { account } };
  const sessions = useLoad(() => ask(api.GET("/console/api/account/{account}/session/", { params })), [account]);

  const signOut = () =>
    action.confirmed({ title: t("everywhere"), text: t("everywhereText"), action: t("everywhere") }, async () => {
      await ask(api.DELETE("/console/api/account/{account}/session/", { params }));
      await (own ? refresh() : sessions.reload());
    });

  return (
    <section class="card part">
      <h2>{t("title")}</h2>
      <LoadedList
        label={t("title")}
        from={sessions}
        none={t("none")}
        rowKey={(s) => s.id}
        columns={[
          {
            label: t("browser"),
            cell: (s) => (
              <>
                <span class="clip" title={s.user_agent}>
                  {browserName(s.user_agent)}
                </span>{" "}
                {s.current && <Badge tone="good">{t("thisBrowser")}</Badge>}
              </>
            ),
          },
          { label: t("ipAddress"), cell: (s) => <code>{s.address}</code> },
          { label: t("signedIn"), by: (s) => s.created_at, cell: (s) => <Ago at={s.created_at} /> },
          { label: t("seen"), by: (s) => s.seen_at, cell: (s) => <Ago at={s.seen_at} /> },
          { label: t("expires"), by: (s) => s.expires_at, cell: (s) => <Ago at={s.expires_at} /> },
        ]}
      />
      <ErrorNote error={action.failure.value} />
      <p>
        <button disabled={(!own && !ownsAll.value) || action.busy.value} onClick={signOut}>
          <LogOut size={16} /> {t("everywhere")}
        </button>
      </p>
    </section>
  );
}

/** "Chrome on Linux" of a User-Agent, or all of it where it is no browser's. */
function browserName(agent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(agent)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1];
  if (!browser) return agent || "–";
  const name = { Edg: "Edge", OPR: "Opera" }[browser] ?? browser;
  return system ? `${name} · ${system}` : name;
}
