import { computed, signal } from "@preact/signals";

import { api, ApiError, ask, begin, end } from "./api/client";
import type { components } from "./api/schema";
import { place } from "./place";
import { discard, owner } from "./ui/draft";

/** The session: the account, and the data of the first page. */
export type Session = components["schemas"]["ConsoleSession"];

/** undefined while loading, null without a session. */
export const session = signal<Session | null | undefined>(undefined);

/** The session that is shown has ended: its page waits, hidden, until the same account signs in again. */
export const ended = signal(false);

/** The error of loading the session: the server cannot be reached, or fails. */
export const unreachable = signal<unknown>(undefined);

/** The application of the address. */
export const application = computed(() => session.value?.applications.find((a) => a.id === place.value?.app));

/** Whether the account may change things: a viewer may not. */
export const mayChange = computed(() => session.value?.account.role !== "viewer");

/** Whether the account may manage its applications. */
export const isOwner = computed(() => session.value?.account.role === "owner");

/** Whether the account may manage accounts and make applications: an owner of some could give itself the others. */
export const ownsAll = computed(() => isOwner.value && session.value?.account.all_applications === true);

/** The account that used this page last. */
let last: number | undefined;

function enter(next: Session): void {
  // Data in memory, such as unsaved edits, belongs to the account before.
  owner.value = next.account.id;
  if (last !== undefined && last !== next.account.id) return location.reload();
  last = next.account.id;
  begin(next.csrf_token, leave, () => void refresh()); // a token is refused when the role was changed
  unreachable.value = undefined;
  ended.value = false;
  session.value = next;
}

/** Ends the session on the page. A page with edits stays for their author. */
function leave(): void {
  if (session.value) ended.value = true;
  else session.value = null;
}

/** Tells the other tabs of this browser, which have the same session. */
const others = new BroadcastChannel("minicloud.session");
others.onmessage = ({ data }) => {
  if (data === "out") end();
  void refresh();
};

/** Loads the session, at the start and after changes of applications or of the account. */
export async function refresh(): Promise<void> {
  try {
    enter(await ask(api.GET("/console/api/session/")));
  } catch (error) {
    unreachable.value = undefined;
    if (error instanceof ApiError && error.status === 401) leave();
    else if (!session.value) unreachable.value = error;
  }
}

/** Signs in; an ApiError says why not. */
export async function signIn(email: string, password: string): Promise<void> {
  enter(await ask(api.POST("/console/api/session/", { body: { email, password } })));
  others.postMessage("in"); // they need the new session's CSRF token
}

/** Signs out here and in other tabs, and reloads: nothing of the session stays in memory. */
export async function signOut(): Promise<void> {
  await ask(api.DELETE("/console/api/session/"));
  end();
  others.postMessage("out");
  discard(true);
  location.reload();
}
