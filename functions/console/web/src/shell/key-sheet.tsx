import { texts } from "../text";
import { Dialog } from "../ui/dialog";
import { activeKeys, chord } from "./keys";

const t = texts({ title: ["Keys that work here", "此处可用的快捷键"] });

/** Every key of this page and what it does. */
export function KeySheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog title={t("title")} open={open} onClose={onClose}>
      <dl class="keys">
        {activeKeys.value.map((key) => (
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
