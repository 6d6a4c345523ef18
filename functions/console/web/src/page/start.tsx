import { useEffect } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";

import { PRODUCTION } from "../place";
import { session } from "../session";
import { NoApplication } from "../shell/no-application";
import { NotFound } from "../shell/not-found";

const LAST_KEY = "minicloud.place";

/** Leads to the application of the address, where it names one; else to where the reader was last, or to the first. */
export function Start() {
  const { route } = useLocation();
  const { app } = useRoute().params;
  const applications = session.value?.applications ?? [];
  const last = localStorage.getItem(LAST_KEY)?.split("/") ?? [];
  const named = (id: string | undefined) => applications.find((a) => String(a.id) === id);
  const application = app === undefined ? (named(last[0]) ?? applications[0]) : named(app);
  const wasHere = String(application?.id) === last[0] && application?.environments.some((e) => e.id === last[1]);
  const env = wasHere ? last[1] : PRODUCTION;

  useEffect(() => {
    if (application) route(`/console/${application.id}/${env}`, true);
  });

  if (application) return null;
  return app === undefined ? <NoApplication /> : <NotFound />;
}

/** Notes where the reader is, for the next visit. */
export function remember(app: number, env: string): void {
  localStorage.setItem(LAST_KEY, `${app}/${env}`);
}
