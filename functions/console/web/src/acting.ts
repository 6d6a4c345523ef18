import { computed, effect, signal } from "@preact/signals";

import { api, ask, clientWith } from "./api/client";
import type { operations } from "./api/schema";
import { place } from "./place";
import { ended, session } from "./session";

type Given = operations["actAsUser"]["responses"]["200"]["content"]["application/json"];

/** The user whom the administrator acts as, in the environment of the address; none after a reload. */
export const acting = signal<(Given & { app: number; env: string }) | undefined>(undefined);

/** A token with less than this is renewed by a request. */
const RENEW_MS = 5 * 60_000;

let end: ReturnType<typeof setTimeout> | undefined;

/** Acts as a user until told otherwise, or until the token has ended without a request. */
export async function actAs(user: number): Promise<void> {
  if (!place.value) return;
  const { app, env } = place.value;
  const params = { path: { application: app, env, user } };
  const given = await ask(api.POST("/console/api/application/{application}/environment/{env}/user/{user}/token/", { params }));
  acting.value = { ...given, app, env };
  clearTimeout(end);
  end = setTimeout(stopActing, given.expires_at * 1000 - Date.now());
}

/** Is oneself again. */
export function stopActing(): void {
  clearTimeout(end);
  acting.value = undefined;
}

// A user exists in one environment only, and signing out ends acting.
const where = computed(() => `${ended.value ? 0 : session.value?.account.id} ${place.value?.app}/${place.value?.env}`);
effect(() => {
  void where.value;
  stopActing();
});

/** The name of the user whom the administrator acts as; undefined without one. */
export const actingName = computed(() => acting.value && (acting.value.user.nickname || String(acting.value.user.id)));

/** The client that runs functions and reads rows: as the user, if one acts. */
export async function actingClient(): Promise<typeof api> {
  if (acting.value && acting.value.expires_at * 1000 - Date.now() < RENEW_MS) await actAs(acting.value.user.id);
  return acting.value ? clientWith(acting.value.token) : api;
}
