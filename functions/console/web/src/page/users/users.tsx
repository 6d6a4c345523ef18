
import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Empty } from "~/ui/empty";
import { useFilter } from "~/ui/filter";
import { LoadedList } from "~/ui/loaded-list";
import { usePages } from "~/ui/more";
import { Page } from "~/ui/page";
import { Search } from "~/ui/search";
import { Tabs } from "~/ui/tabs";
import { Views } from "~/ui/views";
import { Groups } from "./groups";
import { SuperGroups } from "./super-groups";

type User = components["schemas"]["User"];

const t = texts({
  city: ["City", "城市"],
  created: ["Joined", "注册时间"],
  nickname: ["Nickname", "昵称"],
  nobody: ["No users yet", "还没有用户"],
  nobodyLike: ["No users match this search.", "没有匹配的用户。"],
  search: ["Nickname, login or user ID", "昵称、登录名或用户 ID"],
  searchHint: [
    "Usernames, emails, phones and IDs must be complete. Nicknames also match in part; that search reads all users.",
    "用户名、邮箱、手机号和用户 ID 须完整输入；昵称支持部分匹配，但会读取全部用户。",
  ],
  superGroups: ["Super groups", "超级用户组"],
  teach: [
    "Users appear here when they first sign in, or when a function creates them with BaaS.User.create.",
    "用户首次登录时出现在这里，也可由云函数通过 BaaS.User.create 创建。",
  ],
  title: ["Users", "用户"],
});

const PAGE = 50;

/** All users who have signed in, and their groups. */
export function Users() {
  return (
    <Page title={t("title")}>
      <Tabs
        label={t("title")}
        tabs={[
          { key: "users", label: t("title"), panel: () => <People /> },
          { key: "groups", label: common("groups"), panel: () => <Groups /> },
          { key: "super-groups", label: t("superGroups"), panel: () => <SuperGroups /> },
        ]}
      />
    </Page>
  );
}

/** The query of a search text: a login or an ID, or else, as those read no other user, a part of a nickname. */
async function whereOf(typed: string): Promise<components["schemas"]["Where"] | undefined> {
  const text = typed.trim();
  if (text === "") return undefined;
  const { objects } = await ask(api.GET("/userve/v2.2/miniapp/user_profile/", { params: { query: { _login: text, keys: "id" } } }));
  const ids = objects.map((user) => user.id);
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) ids.push(Number(text));
  if (text.includes("@") || /^\+?[\d -]+$/.test(text)) return { id: { $in: ids } };
  return { $or: [{ id: { $in: ids } }, { nickname: { $icontains: text } }] };
}

function People() {
  const typed = useFilter<string>("search");
  const users = usePages(
    PAGE,
    async (limit) => {
      const where = await whereOf(typed.value);
      return ask(api.POST("/userve/v2.2/miniapp/user_profile/query/", { body: { where, order_by: "-created_at", limit } }));
    },
    [place.value, typed.value],
  );
  const hrefOf = (user: User) => link("users", user.id);

  return (
    <>
      <form class="row filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <Search label={t("search")} filter={typed} />
        <button>{common("search")}</button>
        <Views list="users" />
      </form>
      <p class="hint">{t("searchHint")}</p>
      <LoadedList
        label={t("title")}
        from={users}
        none={<Nobody searched={typed.value !== ""} />}
        rowKey={(user) => user.id}
        href={hrefOf}
        columns={[
          { label: t("nickname"), by: (user) => user.nickname, cell: (user) => <a href={hrefOf(user)}>{user.nickname || user.id}</a> },
          { label: common("id"), by: (user) => user.id, cell: (user) => <code>{user.id}</code> },
          { label: t("city"), by: (user) => user.city, cell: (user) => <span class="clip">{user.city}</span> },
          { label: t("created"), by: (user) => user.created_at, cell: (user) => <Ago at={user.created_at} /> },
        ]}
      />
    </>
  );
}

function Nobody({ searched }: { searched: boolean }) {
  if (searched) return <p class="quiet">{t("nobodyLike")}</p>;
  return (
    <Empty title={t("nobody")}>
      <p>{t("teach")}</p>
    </Empty>
  );
}
