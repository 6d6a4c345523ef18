import { useSignal } from "@preact/signals";

import { ApiError, api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { inProduction } from "~/place";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Field, Input } from "~/ui/field";
import { Form, Submit } from "~/ui/form";
import { toast } from "~/ui/toast";

type Order = components["schemas"]["Order"];

const t = texts({
  amount: ["Amount (CNY)", "金额（元）"],
  atMost: ["At most {left}", "最多 {left}"],
  confirm: ["This is production. Type {number} to confirm.", "请输入 {number} 以继续：这是生产环境"],
  unanswered: [
    "We got no answer from the provider. Try again: the refund number stays the same, so the money is returned only once.",
    "请重试：将使用同一退款单号，不会重复退款。",
  ],
  memo: ["Reason (may be shown to the user)", "原因（用户可能看到）"],
  refund: ["Refund {amount}", "退款 {amount}"],
  rejected: ["The provider rejected the refund: {reason}", "支付平台拒绝：{reason}"],
  accepted: ["The provider accepted the refund", "支付平台已受理退款"],
  title: ["Refund order", "订单退款"],
  invalid: ["Enter an amount above 0 and at most {left}, with up to two decimals.", "大于 0、最多两位小数，且不超过 {left}"],
});

const MEMO = 80;

/** A number that is drawn once for a dialog: whatever is pressed how often, it is one refund. */
const draw = () => crypto.randomUUID().replaceAll("-", "");

/** The cents of a text, undefined if it is no amount. */
function centsOf(text: string): number | undefined {
  const match = /^(\d{1,9})(?:[.,](\d{1,2}))?$/.exec(text.trim());
  return match ? Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0")) : undefined;
}

type Props = { order: Order; left: number; onClose: () => void; onDone: () => Promise<void> };

/** Asks how much to pay back, and pays. What the vendor says stays here. */
export function RefundDialog({ open, ...props }: Props & { open: boolean }) {
  return (
    <Dialog title={t("title")} open={open} onClose={props.onClose}>
      <Refund {...props} />
    </Dialog>
  );
}

function Refund({ order, left, onClose, onDone }: Props) {
  const number = useSignal(draw());
  const most = useSignal(left).value; // the amount when the dialog opened, because the request itself reduces it
  const amount = useSignal(left.toFixed(2));
  const typed = useSignal("");
  const refused = useSignal("");
  const action = useAction();

  const cents = centsOf(amount.value);
  const good = cents !== undefined && cents > 0 && cents <= Math.round(most * 100);
  const unknown = action.failure.value instanceof ApiError && action.failure.value.status === 503;
  const agreed = !inProduction.value || typed.value === order.transaction_no;

  async function submit(said: FormData): Promise<boolean> {
    if (!good || !agreed) return false;
    refused.value = "";
    let taken = false;
    const body = { refund_no: number.value, refund_amount: cents / 100, memo: String(said.get("memo")) };
    await action.run(async () => {
      const made = await ask(
        api.POST("/oserve/v3/order/{transaction_no}/refund/", { params: { path: { transaction_no: order.transaction_no } }, body }),
      );
      if (made.status === "failed") {
        refused.value = made.error_msg;
        number.value = draw(); // that one is over: the next try is another refund
        return;
      }
      taken = true;
      toast(t("accepted"));
      onClose();
    });
    await onDone();
    return taken;
  }

  return (
    <Form draft={`refund/${order.transaction_no}`} name={t("title")} onSubmit={submit}>
      {/* Kept with what is typed: after a reload, too, a second try is the same refund. */}
      <input type="hidden" name="refund_no" value={number} onInput={(event) => (number.value = event.currentTarget.value)} />
      <Field
        label={t("amount")}
        hint={t("atMost", { left: most.toFixed(2) })}
        error={amount.value !== "" && !good ? t("invalid", { left: most.toFixed(2) }) : undefined}
      >
        <input
          name="amount"
          type="text"
          inputMode="decimal"
          autocomplete="off"
          autofocus
          readOnly={unknown}
          value={amount}
          onInput={(event) => (amount.value = event.currentTarget.value)}
        />
      </Field>
      <Input label={t("memo")} name="memo" maxLength={MEMO} />
      {inProduction.value && (
        <Input label={t("confirm", { number: order.transaction_no })} value={typed} onInput={(event) => (typed.value = event.currentTarget.value)} />
      )}
      <ErrorNote error={action.failure.value ?? (refused.value === "" ? undefined : t("rejected", { reason: refused.value }))} />
      {unknown && <p class="hint">{t("unanswered")}</p>}
      <div class="dialog-foot">
        <button type="button" onClick={onClose}>
          {common("cancel")}
        </button>
        <Submit class="wa-danger" disabled={!good || !agreed}>
          {t("refund", { amount: good ? (cents / 100).toFixed(2) : "" })}
        </Submit>
      </div>
    </Form>
  );
}
