import { signal } from "@preact/signals";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { Copyable } from "~/ui/copy";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Do } from "~/ui/form";

type Trigger = components["schemas"]["Trigger"];

const t = texts({
  action: ["New key", "生成新密钥"],
  active: ["Replaces the old key on", "单独生效时间"],
  address: ["URL", "地址"],
  key: ["Key", "密钥"],
  noKeys: ["No keys. This trigger has no webhook action.", "没有 Webhook 动作，因此没有密钥。"],
  once: ["Copy the key now. You can't see it again. The receiver uses it to verify that a call comes from here.", "仅显示这一次。请交给接收方，用于验证请求来源。"],
  reset: ["Reset URL", "重置地址"],
  resetText: ["The current URL stops working immediately. Give callers the new one. This can't be undone.", "当前地址立即失效（404），请通知调用方使用新地址。"],
  rotateText: ["The old key stays valid for {days:day|days}.", "旧密钥将继续有效 {days} 天。"],
  title: ["Webhook keys", "Webhook 密钥"],
  url: ["Target URL", "目标地址"],
});

type Shown = { label: string; key: string; activeAt?: number };
type Question = { keys: Shown[]; done: () => void };

const shown = signal<Question | undefined>(undefined);

/** Shows new keys, which no later answer contains, until the dialog is closed. */
function show(keys: Shown[]): Promise<void> {
  return new Promise((done) => (shown.value = { keys, done }));
}

/** Shows the keys that saving a trigger has made, if it made some. */
export async function showKeys(written: Trigger): Promise<void> {
  const keys = written.actions.flatMap(({ settings }) =>
    "key" in settings && settings.key ? [{ label: settings.url, key: settings.key }] : [],
  );
  if (keys.length > 0) await show(keys);
}

/** The dialog that shows new keys once. */
export function NewKeys() {
  function close() {
    const { done } = shown.value ?? {};
    shown.value = undefined;
    done?.();
  }

  return (
    <Dialog
      title={t("title")}
      open={shown.value !== undefined}
      onClose={() => shown.value && close()}
      footer={
        <button class="wa-brand" onClick={close}>
          {common("close")}
        </button>
      }
    >
      <p>{t("once")}</p>
      {shown.value?.keys.map(({ label, key, activeAt }) => (
        <p key={key}>
          <span class="quiet">{label}</span>
          <br />
          <Copyable text={key} label={t("key")} />
          {activeAt !== undefined && (
            <>
              <br />
              {t("active")} <Ago at={activeAt} />
            </>
          )}
        </p>
      ))}
    </Dialog>
  );
}

/** The webhooks of a trigger, each with a new key for the asking. */
export function Keys({ trigger }: { trigger: Trigger }) {
  const { failure, confirmed } = useAction();
  const webhooks = [...trigger.actions].filter((action) => action.type === "webhook");

  const rotate = (action: number, label: string, days: number) =>
    confirmed({ title: t("action"), text: t("rotateText", { days }), action: t("action") }, async () => {
      const params = { path: { trigger: trigger.id, action } };
      const made = await ask(api.POST("/oserve/v3/trigger/{trigger}/action/{action}/key/", { params }));
      await show([{ label, key: made.key, activeAt: made.active_at }]);
    });

  if (webhooks.length === 0) return <p class="quiet">{t("noKeys")}</p>;
  return (
    <>
      <ErrorNote error={failure.value} />
      {webhooks.map(({ id, settings: { url, key_overlap_days } }) => (
        <p key={id} class="row">
          <Copyable text={url} label={t("url")} />
          <Do disabled={!mayChange.value} onClick={() => rotate(id, url, key_overlap_days)}>
            {t("action")}
          </Do>
        </p>
      ))}
    </>
  );
}

/** The address of a hook, and another one for the asking. */
export function HookAddress({ trigger, url, onReset }: { trigger: number; url: string; onReset: () => Promise<void> }) {
  const { failure, confirmed } = useAction();

  const reset = () =>
    confirmed({ title: t("reset"), text: t("resetText"), action: t("reset"), name: String(trigger) }, async () => {
      await ask(api.POST("/oserve/v3/trigger/{trigger}/hook/", { params: { path: { trigger } } }));
      await onReset();
    });

  return (
    <>
      <p class="row">
        {t("address")}: <Copyable text={url} label={t("address")} />
        <Do disabled={!mayChange.value} onClick={reset}>
          {t("reset")}
        </Do>
      </p>
      <ErrorNote error={failure.value} />
    </>
  );
}
