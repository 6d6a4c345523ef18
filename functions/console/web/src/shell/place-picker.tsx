import { useLocation } from "preact-iso";

import { place, PRODUCTION } from "../place";
import { application, session } from "../session";
import { common, texts } from "../text";

const t = texts({
  application: ["Application", "应用"],
});

/** Two native lists: the application and its environment. Changing one leads to its overview. */
export function PlacePicker() {
  const { route } = useLocation();
  const here = place.value;
  if (!here) return null;
  return (
    <div class="place-picker">
      <select
        aria-label={t("application")}
        value={String(here.app)}
        onChange={(event) => route(`/console/${event.currentTarget.value}/${PRODUCTION}`)}
      >
        {session.value?.applications.map((a) => (
          <option key={a.id} value={String(a.id)}>
            {a.name}
          </option>
        ))}
      </select>
      <select
        aria-label={common("environment")}
        class={here.env === PRODUCTION ? "production" : "test"}
        value={here.env}
        onChange={(event) => route(`/console/${here.app}/${event.currentTarget.value}`)}
      >
        {application.value?.environments.map((env) => (
          <option key={env.id} value={env.id}>
            {env.name}
          </option>
        ))}
      </select>
    </div>
  );
}
