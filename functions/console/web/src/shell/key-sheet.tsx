import { texts } from "../text";
import { Dialog } from "../ui/dialog";
import { activeKeys, chord, type Key } from "./keys";

const t = texts({ title: ["Keyboard shortcuts", "此处可用的快捷键"] });

/** Every key of this page and its action. */
export function KeySheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog title={t("title")} open={open} onClose={onClose}>
      <dl class="keys">
        {once(activeKeys.value).map((key) => (
          <div key={key.keys}>
            <dt>
              <kbd>{chord(key.keys)}</kbd>
            </dt>
            <dd>{key.label}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** Two lists on a page answer to the same keys. */
const once = (keys: readonly Key[]): Key[] => [...new Map(keys.map((key) => [key.keys + key.label, key])).values()];
