import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";

import { PRODUCTION } from "../place";
import { session } from "../session";
import { NoApplication } from "../shell/no-application";

const LAST_KEY = "minicloud.place";

/** Leads to where the reader was last, or to the first application. */
export function Start() {
  const { route } = useLocation();
  const applications = session.value?.applications ?? [];
  const last = localStorage.getItem(LAST_KEY)?.split("/") ?? [];
  const application = applications.find((a) => String(a.id) === last[0]) ?? applications[0];
  const env = application?.environments.some((e) => e.id === last[1]) ? last[1] : PRODUCTION;

  useEffect(() => {
    if (application) route(`/console/${application.id}/${env}`, true);
  });

  return application ? null : <NoApplication />;
}

/** Notes where the reader is, for the next visit. */
export function remember(app: number, env: string): void {
  localStorage.setItem(LAST_KEY, `${app}/${env}`);
}
