import { Plus, Trash2 } from "lucide-preact";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { place } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { ErrorNote } from "~/ui/error-note";
import { Field } from "~/ui/field";
import { Form, Submit } from "~/ui/form";
import { Load, useLoad } from "~/ui/load";
import { Options } from "~/ui/options";
import { toast } from "~/ui/toast";
import { useDraft } from "~/ui/use-draft";
import { SettingsPage } from "./layout";

type Setting = components["schemas"]["SMSSetting"];
type AuditStatus = components["schemas"]["AuditStatus"];
type Template = { name: string; text?: string; status: AuditStatus };

const t = texts({
  budget: ["SMS parts a day", "每日短信条数"],
  budgetHint: ["For the whole application, codes included. A long text has several parts.", "适用于整个应用，含验证码。长短信按多条计。"],
  approved: ["approved", "已通过"],
  enabled: ["Send SMS from this environment", "本环境允许发送短信"],
  none: ["None yet.", "暂无。"],
  pending: ["pending", "审核中"],
  sentToday: ["Sent today: {sent} of {budget}", "今日已发送：{sent} / {budget}"],
  rejected: ["rejected", "已拒绝"],
  signature: ["Signature", "签名"],
  signatures: ["Signatures", "签名"],
  signaturesHint: ["Placed before the text. Each signature needs approval by the carrier.", "置于短信开头，须经运营商审核通过。"],
  template: ["Template", "模板"],
  templates: ["Templates", "模板"],
  templatesHint: ["Only approved templates are sent. Write keywords in the text as {{ name }}.", "仅发送审核通过的模板。关键词以 {{ name }} 形式写在正文中。"],
  text: ["Text", "正文"],
});

const STATUSES: readonly AuditStatus[] = ["pending", "approved", "rejected"];

/** The SMS settings of this environment. */
export function SMS() {
  const setting = useLoad(() => ask(api.GET("/oserve/v3/sms-setting/")), [place.value]);
  return (
    <SettingsPage part="sms">
      <Load from={setting}>{(now) => <Edit key={place.value?.env} now={now} onSaved={setting.reload} />}</Load>
    </SettingsPage>
  );
}

function Edit({ now, onSaved }: { now: Setting; onSaved: () => Promise<void> }) {
  const action = useAction();
  const kept = useDraft<Setting>("setting/sms");
  const draft = { value: kept.kept.value ?? now };
  const change = (part: Partial<Setting>) => kept.keep("SMS", { ...draft.value, ...part });

  async function save(): Promise<boolean> {
    return action.run(async () => {
      const { sent_today: _, ...body } = draft.value;
      await ask(api.PUT("/oserve/v3/sms-setting/", { body }));
      kept.drop();
      toast(common("saved"));
      await onSaved();
    });
  }

  return (
    <Form class="card part" onSubmit={save}>
      <fieldset disabled={!mayChange.value || action.busy.value}>
        <label class="row">
          <input type="checkbox" checked={draft.value.enabled} onChange={(event) => change({ enabled: event.currentTarget.checked })} /> {t("enabled")}
        </label>
        <h2>{t("signatures")}</h2>
        <p class="hint">{t("signaturesHint")}</p>
        <Rows word={t("signature")} rows={draft.value.signatures} maxLength={20} onChange={(signatures) => change({ signatures })} />
        <h2>{t("templates")}</h2>
        <p class="hint">{t("templatesHint")}</p>
        <Rows
          word={t("template")}
          rows={draft.value.templates}
          maxLength={64}
          withText
          onChange={(templates) => change({ templates: templates as Setting["templates"] })}
        />
        <Field label={t("budget")} hint={t("budgetHint")}>
          <input
            type="number"
            min={0}
            max={10_000_000}
            required
            value={draft.value.daily_budget}
            onInput={(event) => change({ daily_budget: event.currentTarget.valueAsNumber || 0 })}
          />
        </Field>
        <p class="quiet">{t("sentToday", { sent: now.sent_today, budget: now.daily_budget })}</p>
        <ErrorNote error={action.failure.value} />
        <Submit class="wa-brand">{common("save")}</Submit>
      </fieldset>
    </Form>
  );
}

function Rows({
  word,
  rows,
  maxLength,
  withText = false,
  onChange,
}: {
  word: string;
  rows: Template[];
  maxLength: number;
  withText?: boolean;
  onChange: (rows: Template[]) => void;
}) {
  const put = (at: number, part: Partial<Template>) => onChange(rows.map((row, i) => (i === at ? { ...row, ...part } : row)));
  const add = () => onChange([...rows, { name: "", status: "pending", ...(withText && { text: "" }) }]);

  return (
    <>
      {rows.length === 0 && <p class="quiet">{t("none")}</p>}
      {rows.map((row, i) => (
        <div key={i} class="row entry">
          <input
            type="text"
            required
            maxLength={maxLength}
            aria-label={`${word} ${i + 1}: ${common("name")}`}
            placeholder={common("name")}
            value={row.name}
            onInput={(event) => put(i, { name: event.currentTarget.value })}
          />
          {withText && (
            <input
              type="text"
              class="grow"
              required
              maxLength={500}
              aria-label={`${word} ${i + 1}: ${t("text")}`}
              placeholder={t("text")}
              value={row.text}
              onInput={(event) => put(i, { text: event.currentTarget.value })}
            />
          )}
          <select
            aria-label={`${word} ${i + 1}: ${common("status")}`}
            value={row.status}
            onChange={(event) => put(i, { status: event.currentTarget.value as AuditStatus })}
          >
            <Options of={STATUSES} words={t} />
          </select>
          <button type="button" class="icon" aria-label={`${common("delete")} ${word} ${i + 1}`} onClick={() => onChange(rows.filter((_, at) => at !== i))}>
            <Trash2 size={14} />
          </button>
        </div>
      ))}
      <p>
        <button type="button" onClick={add}>
          <Plus size={14} /> {word}
        </button>
      </p>
    </>
  );
}
