import { useLocation } from "preact-iso";

import { place, PRODUCTION } from "../place";
import { application, session } from "../session";
import { common, texts } from "../text";
import { NamedOptions } from "../ui/options";

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
        <NamedOptions of={session.value?.applications} />
      </select>
      <select
        aria-label={common("environment")}
        class={here.env === PRODUCTION ? "production" : "test"}
        value={here.env}
        onChange={(event) => route(`/console/${here.app}/${event.currentTarget.value}`)}
      >
        <NamedOptions of={application.value?.environments} />
      </select>
    </div>
  );
}
