import { useSignal } from "@preact/signals";
import { Undo2 } from "lucide-preact";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { place } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { Status } from "~/ui/badge";
import { ErrorNote } from "~/ui/error-note";
import { List } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";
import { RefundDialog } from "./refund-dialog";

type Order = components["schemas"]["Order"];
type Refund = components["schemas"]["Refund"];

const t = texts({
  checkStatus: ["Check status", "再次询问"],
  requested: ["Requested", "申请时间"],
  left: ["{left} of {total} can still be refunded.", "可退 {left}，共 {total}。"],
  memo: ["Reason", "原因"],
  none: ["No refunds", "没有退款。"],
  number: ["Refund number", "退款单号"],
  refund: ["Refund…", "退款…"],
  message: ["Provider message", "支付平台说明"],
  title: ["Refunds", "退款"],
});

/** The refunds of an order, and a button for another one. */
export function Refunds({ order, onChange }: { order: Order; onChange: () => Promise<void> }) {
  const open = useSignal(false);
  const action = useAction();
  const params = { path: { transaction_no: order.transaction_no } };
  const found = useLoad(() => ask(api.GET("/oserve/v3/order/{transaction_no}/refund/", { params })), [order.transaction_no, place.value]);

  /** The same number is the same refund: the vendor pays it once. */
  async function askAgain({ refund_no, refund_amount, memo }: Refund) {
    await action.run(async () => {
      await ask(api.POST("/oserve/v3/order/{transaction_no}/refund/", { params, body: { refund_no, refund_amount, memo } }));
    });
    await changed();
  }

  async function changed() {
    await Promise.all([found.reload(), onChange()]);
  }

  return (
    <>
      <h2>{t("title")}</h2>
      <ErrorNote error={action.failure.value} />
      <Load from={found}>
        {({ objects, left, total_cost }) => (
          <>
            <p class="row">
              <span>{objects.length === 0 ? t("none") : t("left", { left: left.toFixed(2), total: total_cost.toFixed(2) })}</span>
              <button disabled={!mayChange.value || order.status !== "success" || left === 0} onClick={() => (open.value = true)}>
                <Undo2 size={16} /> {t("refund")}
              </button>
            </p>
            {objects.length > 0 && <Asked refunds={objects} busy={action.busy.value} onAgain={askAgain} />}
            <RefundDialog order={order} left={left} open={open.value} onClose={() => (open.value = false)} onDone={changed} />
          </>
        )}
      </Load>
    </>
  );
}

function Asked({ refunds, busy, onAgain }: { refunds: Refund[]; busy: boolean; onAgain: (refund: Refund) => void }) {
  return (
    <List
      label={t("title")}
      rows={refunds}
      rowKey={(refund) => refund.refund_no}
      columns={[
        { label: t("requested"), by: (refund) => refund.created_at, cell: (refund) => <Ago at={refund.created_at} /> },
        { label: common("amount"), numeric: true, cell: (refund) => refund.refund_amount.toFixed(2) },
        {
          label: common("status"),
          cell: (refund) => (
            <>
              <Status value={refund.status} />{" "}
              {refund.status === "pending" && (
                <button class="link" disabled={!mayChange.value || busy} onClick={() => onAgain(refund)}>
                  {t("checkStatus")}
                </button>
              )}
            </>
          ),
        },
        { label: t("memo"), cell: (refund) => <span class="clip">{refund.memo || "–"}</span> },
        { label: t("message"), cell: (refund) => <span class="clip">{refund.error_msg || "–"}</span> },
        { label: t("number"), cell: (refund) => <code class="clip">{refund.refund_no}</code> },
      ]}
    />
  );
}
