import { useSignal } from "@preact/signals";
import { RotateCcw, Trash2 } from "lucide-preact";
import { useEffect } from "preact/hooks";

import { session } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { Badge } from "~/ui/badge";
import { Choice } from "~/ui/choice";
import { Copyable } from "~/ui/copy";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Fact } from "~/ui/facts";
import { Json } from "~/ui/json";
import { List } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";
import { Search } from "~/ui/search";
import { SettingsPage } from "./layout";
import { type Call, KINDS, type Kind, type Message, read, type Seen } from "./message";
import { Webhook } from "./webhook";

const t = texts({
  clear: ["Clear inbox", "清空收件箱"],
  clearText: ["This deletes the messages of all applications on this machine. It can't be undone.", "本机所有应用的已发内容都将清除。"],
  contains: ["Text contains", "包含的文字"],
  from: ["From", "发件人"],
  kind: ["Kind", "类型"],
  none: ["No messages", "没有已发送的内容，或没有符合条件的内容。"],
  source: ["Raw message", "原始内容"],
  subject: ["Subject", "主题"],
  text: [
    "This machine sends nothing to people. Email, SMS, and template messages of all applications arrive here instead.",
    "本机不会真正对外发送：所有应用的邮件、短信和模板消息都会出现在这里。",
  ],
  to: ["To", "收件人"],
  hooks: ["To receive webhooks here, use any address that starts with", "Webhook 也可发送到此处，地址前缀为"],
  noHooks: [
    "Webhooks are delivered for real and can't reach this machine. Start with ALLOW_PRIVATE_TARGETS=1 make run to allow it and to get an address for them here.",
    "Webhook 会真正发出，且无法访问本机：使用 ALLOW_PRIVATE_TARGETS=1 make run 启动后，可发送到此收件箱。",
  ],
  when: ["When", "时间"],
});

const EVERY_MS = 5000;
const SHOWN = 200;

/** The messages that a local cloud kept, newest first. */
export function Inbox() {
  const kind = useSignal<Kind | "">("");
  const contains = useSignal("");
  const chosen = useSignal<Message | undefined>(undefined);
  const action = useAction();
  const messages = useLoad(() => fetchInbox("GET", contains.value), [contains.value]);

  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && void messages.reload(), EVERY_MS);
    return () => clearInterval(timer);
  }, [messages.reload]);

  const clear = () =>
    action.confirmed({ title: t("clear"), text: t("clearText"), action: t("clear") }, async () => {
      await fetchInbox("DELETE", "");
      await messages.reload();
    });

  const hooks = session.value?.features.hook_url ?? "";
  const actions = (
    <>
      <button onClick={messages.reload}>
        <RotateCcw size={16} /> {common("reload")}
      </button>
      <button onClick={clear}>
        <Trash2 size={16} /> {t("clear")}
      </button>
    </>
  );

  return (
    <SettingsPage part="inbox" actions={actions}>
      <p class="hint part">
        {t("text")} {hooks === "" && t("noHooks")}
      </p>
      {hooks !== "" && (
        <p class="row">
          {t("hooks")} <Copyable text={hooks} label={t("hooks")} />
        </p>
      )}
      <div class="row filters" role="search">
        <Search label={t("contains")} filter={contains} />
        <Choice label={t("kind")} values={KINDS} filter={kind} />
      </div>
      <ErrorNote error={action.failure.value} />
      <Load from={messages}>
        {(all) => <Messages all={all.filter((m) => kind.value === "" || m.kind === kind.value).slice(-SHOWN).reverse()} onChoose={(m) => (chosen.value = m)} />}
      </Load>
      <Reader message={chosen.value} onClose={() => (chosen.value = undefined)} />
    </SettingsPage>
  );
}

/** The inbox belongs to the machine and not to the API; this page's own address reaches it whatever the machine is called. */
async function fetchInbox(method: "GET" | "DELETE", contains: string): Promise<Message[]> {
  const url = new URL(session.value?.features.inbox_url ?? "", location.origin);
  const query = contains === "" ? "" : "?contains=" + encodeURIComponent(contains);
  const answer = await fetch(url.pathname + query, { method });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return (await answer.json()) as Message[];
}

type Row = { message: Message; seen: Seen };

function Messages({ all, onChoose }: { all: Message[]; onChoose: (message: Message) => void }) {
  if (all.length === 0) return <p class="quiet">{t("none")}</p>;
  const rows: Row[] = all.map((message) => ({ message, seen: read(message) }));
  return (
    <List
      label={t("text")}
      rows={rows}
      rowKey={({ message }) => message.at + message.kind}
      columns={[
        { label: t("when"), cell: ({ message }) => <Ago at={message.at} /> },
        { label: t("kind"), cell: ({ message }) => <Badge tone="quiet">{message.kind}</Badge> },
        { label: t("to"), cell: ({ seen }) => <span class="clip">{seen.to}</span> },
        {
          label: t("subject"),
          cell: ({ message, seen }) => (
            <button class="link clip" onClick={() => onChoose(message)}>
              {seen.subject || seen.text.slice(0, 80) || message.kind}
            </button>
          ),
        },
      ]}
    />
  );
}

function Reader({ message, onClose }: { message: Message | undefined; onClose: () => void }) {
  const seen = message && read(message);
  return (
    <Dialog wide title={seen?.subject || message?.kind || ""} open={message !== undefined} onClose={onClose}>
      {seen && (
        <>
          <dl class="facts">
            <Fact label={t("from")}>{seen.from || "–"}</Fact>
            <Fact label={t("to")}>{seen.to || "–"}</Fact>
          </dl>
          <pre class="log" tabIndex={0}>
            {seen.text}
          </pre>
          {message.kind === "webhook" && <Webhook call={message.sent as Call} />}
          <details>
            <summary>{t("source")}</summary>
            <Json value={message.sent} />
          </details>
        </>
      )}
    </Dialog>
  );
}
