import { Copy } from "lucide-preact";

import { common } from "../text";
import { toast } from "./toast";

/** Puts a text on the clipboard and says so. */
export async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  toast(common("copied"));
}

/** A text to take along: shown as code, with a button that copies it. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <span class="copyable">
      <code>{text}</code>
      <button type="button" class="icon" title={common("copy")} aria-label={`${common("copy")}: ${label}`} onClick={() => copy(text)}>
        <Copy size={14} />
      </button>
    </span>
  );
}
