import { CircleAlert } from "lucide-preact";

import { common } from "../text";

/** What went wrong, in the platform's own words; nothing while nothing did. */
export function ErrorNote({ error, again }: { error: unknown; again?: () => void }) {
  if (error === undefined || error === null) return null;
  return (
    <div class="note bad" role="alert">
      <CircleAlert size={16} /> <span>{error instanceof Error ? error.message : String(error)}</span>
      {again && (
        <button type="button" onClick={again}>
          {common("tryAgain")}
        </button>
      )}
    </div>
  );
}
