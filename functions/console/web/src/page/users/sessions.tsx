import { Ban, LogOut, Undo2, UserX } from "lucide-preact";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { loginWords } from "~/login-method";
import { place } from "~/place";
import { mayChange } from "~/session";
import { texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { Badge } from "~/ui/badge";
import { confirm } from "~/ui/confirm";
import { ErrorNote } from "~/ui/error-note";
import { Do } from "~/ui/form";
import { Load, useLoad } from "~/ui/load";
import { LoadedList } from "~/ui/loaded-list";

type User = components["schemas"]["User"];
type State = components["schemas"]["UserState"];

const t = texts({
  address: ["IP address", "地址"],
  block: ["Block", "封禁"],
  blocked: ["blocked", "已封禁"],
  blockText: ["This ends all sessions of the user and rejects every login until you unblock the user. Rows are kept.", "该用户的会话全部结束，解除封禁前不能登录。数据保留。"],
  blockTitle: ["Block {name}?", "封禁 {name}？"],
  close: ["Close account", "注销账号"],
  closed: ["account closed", "已注销"],
  closeText: [
    "This ends all sessions, frees the login names and linked identities, and clears the profile. Rows, files, and orders are kept. This can't be undone.",
    "结束全部会话，释放登录名和关联的身份，并清空资料。数据、文件和订单保留。此操作不可撤销。",
  ],
  closeTitle: ["Close the account of {name}?", "注销 {name} 的账号？"],
  device: ["Device", "设备"],
  end: ["End all sessions", "结束全部会话"],
  endText: ["The user is logged out on every device and can log in again.", "该用户在所有设备上退出登录，可以重新登录。"],
  endTitle: ["End all sessions of {name}?", "结束 {name} 的全部会话？"],
  expires: ["Expires", "到期"],
  label: ["Sessions", "会话"],
  loggedIn: ["Logged in", "登录时间"],
  method: ["Method", "方式"],
  none: ["No active sessions", "没有会话"],
  temporary: ["temporary user", "临时用户"],
  unblock: ["Unblock", "解除封禁"],
});

/** The sessions of a user, their end, and the block and the closing of the account. */
export function Sessions({ user, onClosed }: { user: User; onClosed: () => Promise<void> }) {
  const action = useAction();
  const name = String(user.nickname || user.id);
  const params = { path: { user: user.id } };
  const state = useLoad(() => ask(api.GET("/oserve/v3/user/{user}/", { params })), [user.id, place.value]);
  const sessions = useLoad(() => ask(api.GET("/oserve/v3/user/{user}/session/", { params: { ...params, query: { limit: 100 } } })), [user.id, place.value]);

  async function change(work: () => Promise<unknown>) {
    await action.run(async () => {
      await work();
      await Promise.all([state.reload(), sessions.reload()]);
    });
  }

  async function end() {
    if (!(await confirm({ title: t("endTitle", { name }), text: t("endText"), action: t("end") }))) return;
    await change(() => ask(api.DELETE("/oserve/v3/user/{user}/session/", { params })));
  }

  async function block(blocked: boolean) {
    if (blocked && !(await confirm({ title: t("blockTitle", { name }), text: t("blockText"), action: t("block") }))) return;
    await change(() => ask(api.PUT("/oserve/v3/user/{user}/", { params, body: { blocked } })));
  }

  async function close() {
    if (!(await confirm({ title: t("closeTitle", { name }), text: t("closeText"), action: t("close"), name }))) return;
    await change(() => ask(api.PUT("/oserve/v3/user/{user}/", { params, body: { closed: true } })));
    await onClosed();
  }

  return (
    <>
      <Load from={state}>
        {(now) => (
          <fieldset class="row part" disabled={!mayChange.value || action.busy.value}>
            <StateBadges state={now} />
            <Do onClick={end}>
              <LogOut size={16} /> {t("end")}
            </Do>
            {now.blocked ? (
              <Do onClick={() => block(false)}>
                <Undo2 size={16} /> {t("unblock")}
              </Do>
            ) : (
              <Do onClick={() => block(true)}>
                <Ban size={16} /> {t("block")}
              </Do>
            )}
            {now.closed_at === null && (
              <Do class="wa-danger" onClick={close}>
                <UserX size={16} /> {t("close")}
              </Do>
            )}
          </fieldset>
        )}
      </Load>
      <ErrorNote error={action.failure.value} />
      <LoadedList
        label={t("label")}
        from={sessions}
        none={t("none")}
        rowKey={(s) => s.id}
        columns={[
          { label: t("method"), cell: (s) => loginWords(s.login_method) },
          { label: t("device"), cell: (s) => <span class="clip" title={s.user_agent}>{s.user_agent || "–"}</span> },
          { label: t("address"), cell: (s) => <code>{s.ip_address}</code> },
          { label: t("loggedIn"), by: (s) => s.created_at, cell: (s) => <Ago at={s.created_at} /> },
          { label: t("expires"), by: (s) => s.expires_at, cell: (s) => <Ago at={s.expires_at} /> },
        ]}
      />
    </>
  );
}

function StateBadges({ state }: { state: State }) {
  return (
    <>
      {state.blocked && <Badge tone="bad">{t("blocked")}</Badge>}
      {state.temporary && <Badge tone="quiet">{t("temporary")}</Badge>}
      {state.closed_at !== null && <Badge tone="quiet">{t("closed")}</Badge>}
    </>
  );
}
