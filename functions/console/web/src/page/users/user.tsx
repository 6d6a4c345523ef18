import { Eye, UserRoundCheck } from "lucide-preact";
import { useLocation, useRoute } from "preact-iso";

import { actAs, acting } from "~/acting";
import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { runnerOpen } from "~/runner/state";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { ErrorNote } from "~/ui/error-note";
import { Fact } from "~/ui/facts";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";
import { Tabs } from "~/ui/tabs";
import { FileList } from "../files/file-list";
import { OrderList } from "../orders/orders";
import { AccountForm } from "./account-form";
import { Membership } from "./membership";
import { Messages } from "./messages";
import { Profile } from "./profile";
import { Sessions } from "./sessions";

type User = components["schemas"]["User"];

const t = texts({
  account: ["Account", "账号"],
  act: ["Act as user", "以其身份运行"],
  actText: ["Run functions as this user", "运行云函数时以该用户为调用者"],
  created: ["Joined", "注册时间"],
  files: ["Files", "文件"],
  messages: ["Template messages", "模板消息"],
  noFiles: ["This user has not uploaded any files.", "该用户没有上传过文件。"],
  noOrders: ["This user has no orders.", "该用户没有订单。"],
  profile: ["Profile", "资料"],
  sessions: ["Sessions", "会话"],
  users: ["Users", "用户"],
  view: ["View as user", "以其视角查看"],
  viewText: ["See the rows of tables that this user can read", "查看数据表中该用户可读的数据"],
});

/** The page of a user: profile, account, sessions, groups, files and orders. */
export function UserPage() {
  const id = Number(useRoute().params.id);
  const { route } = useLocation();
  const found = useLoad(() => ask(api.GET("/userve/v2.2/miniapp/user_profile/{id}/", { params: { path: { id } } })), [id, place.value]);
  const name = found.data?.nickname || String(id);
  const action = useAction();

  async function act() {
    await action.run(() => actAs(id));
    runnerOpen.value = acting.value !== undefined;
  }

  async function view() {
    if (await action.run(() => actAs(id))) route(link("tables"));
  }

  const disabled = !mayChange.value || !found.data || action.busy.value;
  const buttons = (
    <>
      <button disabled={disabled} onClick={view} title={t("viewText")}>
        <Eye size={16} /> {t("view")}
      </button>
      <button disabled={disabled} onClick={act} title={t("actText")}>
        <UserRoundCheck size={16} /> {t("act")}
      </button>
    </>
  );
  return (
    <Page title={name} actions={buttons} crumbs={[{ label: t("users"), href: link("users") }]}>
      <ErrorNote error={action.failure.value} />
      <Load from={found}>
        {(user) => (
          <>
            <Facts user={user} />
            <Tabs
              label={name}
              tabs={[
                { key: "profile", label: t("profile"), panel: () => <Profile user={user} onSaved={found.reload} /> },
                { key: "account", label: t("account"), panel: () => <AccountForm user={user} onSaved={found.reload} /> },
                { key: "sessions", label: t("sessions"), panel: () => <Sessions user={user} onClosed={found.reload} /> },
                { key: "groups", label: common("groups"), panel: () => <Membership user={user} onChanged={found.reload} /> },
                { key: "files", label: t("files"), panel: () => <FileList where={{ created_by: user.id }} owner={false} none={t("noFiles")} /> },
                { key: "orders", label: common("orders"), panel: () => <OrderList query={{ created_by: user.id }} none={t("noOrders")} /> },
                { key: "messages", label: t("messages"), panel: () => <Messages user={user} /> },
              ]}
            />
          </>
        )}
      </Load>
    </Page>
  );
}

function Facts({ user }: { user: User }) {
  return (
    <dl class="facts">
      <Fact label={common("id")}><code>{user.id}</code></Fact>
      <Fact label={t("created")}><Ago at={user.created_at} /></Fact>
      <Fact label={common("updated")}><Ago at={user.updated_at} /></Fact>
    </dl>
  );
}
