import { computed, signal } from "@preact/signals";

import { api, ApiError, ask, begin, end } from "./api/client";
import type { components } from "./api/schema";
import { place } from "./place";

/** Who is signed in, and everything the first page needs. */
export type Session = components["schemas"]["ConsoleSession"];

/** undefined while asking, null for nobody. */
export const session = signal<Session | null | undefined>(undefined);

/** The application of the address. */
export const application = computed(() => session.value?.applications.find((a) => a.id === place.value?.app));

/** Whether the account may change things: a viewer may not. */
export const mayChange = computed(() => session.value?.account.role !== "viewer");

/** Whether the account may manage its applications. */
export const isOwner = computed(() => session.value?.account.role === "owner");

/** Whether the account may manage accounts and make applications: an owner of some could give itself the others. */
export const ownsAll = computed(() => isOwner.value && session.value?.account.all_applications === true);

/** Whose this page was last. */
let last: number | undefined;

function enter(next: Session): void {
  // What is in memory, such as edits that are not saved, is of whoever was here before.
  if (last !== undefined && last !== next.account.id) return location.reload();
  last = next.account.id;
  const signedOut = () => (session.value = null);
  begin(next.csrf_token, signedOut, () => void refresh()); // a token is refused when the role was changed
  session.value = next;
}

/** Asks who is signed in, once at the start and after changes of applications or of the account. */
export async function refresh(): Promise<void> {
  try {
    enter(await ask(api.GET("/console/api/session/")));
  } catch (error) {
    if (!session.value || (error instanceof ApiError && error.status === 401)) session.value = null;
  }
}

/** Signs in; an ApiError says why not. */
export async function signIn(email: string, password: string): Promise<void> {
  enter(await ask(api.POST("/console/api/session/", { body: { email, password } })));
}

/** Signs out here, and begins anew: nothing of the session stays in memory. */
export async function signOut(): Promise<void> {
  await api.DELETE("/console/api/session/");
  end();
  location.reload();
}
