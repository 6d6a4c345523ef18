
import { useGroups } from "./groups";
import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { mayChange } from "~/session";
import { texts } from "~/text";
import { useAction } from "~/ui/action";
import { ErrorNote } from "~/ui/error-note";
import { Load } from "~/ui/load";
import { More } from "~/ui/more";

type User = components["schemas"]["User"];

const t = texts({ none: ["No groups yet. Create one under Users, Groups.", "还没有用户组；请在“用户 · 用户组”中新建。"] });

/** The groups a user is in: each box is a change. */
export function Membership({ user, onChanged }: { user: User; onChanged: () => Promise<void> }) {
  const action = useAction();
  const groups = useGroups();

  async function put(group: number, isIn: boolean) {
    const change = { op: isIn ? ("add" as const) : ("remove" as const), path: "/membership" as const, users: [user.id], groups: [group] };
    await action.run(async () => {
      await ask(api.PATCH("/oserve/v1/miniapp/group/membership/", { body: [change] })).finally(onChanged);
    });
  }

  return (
    <>
      <ErrorNote error={action.failure.value} />
      <Load from={groups}>
        {({ objects, meta }) => (
          <>
            {objects.length === 0 && <p class="quiet">{t("none")}</p>}
            {objects.map((group) => (
              <label key={group.id} class="row">
                <input
                  type="checkbox"
                  disabled={!mayChange.value || action.busy.value}
                  checked={user.user_group?.includes(group.id) ?? false}
                  onChange={(event) => put(group.id, event.currentTarget.checked)}
                />
                {group.name}
              </label>
            ))}
            <More meta={meta} onMore={groups.more} />
          </>
        )}
      </Load>
    </>
  );
}
