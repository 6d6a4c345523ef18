import { CircleAlert } from "lucide-preact";

import { common } from "../text";

/** An error, with the platform's message; nothing without an error. */
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
