
import { api, ask } from "~/api/client";
import type { components, operations } from "~/api/schema";
import { inProduction, link, place } from "~/place";
import { session } from "~/session";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Badge, Status } from "~/ui/badge";
import { Choice } from "~/ui/choice";
import { Empty } from "~/ui/empty";
import { useFilter } from "~/ui/filter";
import { LoadedList } from "~/ui/loaded-list";
import { usePages } from "~/ui/more";
import { Page } from "~/ui/page";
import { Search } from "~/ui/search";
import { Views } from "~/ui/views";
import { gatewayWords } from "~/vendor";

type Order = components["schemas"]["Order"];

const t = texts({
  simulate: ["Run this command to simulate a paid order:", "在本机上，此命令会模拟一笔微信支付订单。"],
  none: ["No orders yet", "还没有订单"],
  noneLike: [
    "No orders match these filters. Order and trade numbers must be complete.",
    "没有符合条件的订单。订单号和交易号须完整输入。",
  ],
  number: ["Order", "订单号"],
  paid: ["Paid", "支付时间"],
  settings: ["Payment settings", "支付设置"],
  refund: ["Refund", "退款"],
  item: ["Item", "商品"],
  teach: [
    "Orders are created by payments. The provider notifies the platform of each payment, and triggers fire when an order is paid. Set up a provider to get started.",
    "支付后即产生订单：支付平台会通知本平台，支付成功时触发触发器。",
  ],
  numbers: ["Order or trade number", "订单号或交易号"],
  vendor: ["Provider", "支付渠道"],
});

const PAGE = 50;

/** How an order stands. */
export function OrderStatus({ order }: { order: Order }) {
  return (
    <>
      <Status value={order.status} />{" "}
      {order.refund_status && <Badge tone={order.refund_status === "failed" ? "bad" : "warn"}>{`${t("refund")}: ${order.refund_status}`}</Badge>}
    </>
  );
}

type Query = NonNullable<operations["listOrders"]["parameters"]["query"]>;

/** The orders of the environment, by the filters of the API. */
export function Orders() {
  const status = useFilter<"" | "pending" | "success">("status");
  const refund = useFilter<"" | "complete" | "partial" | "failed">("refund_status");
  const vendor = useFilter<"" | "chatpay" | "altpay">("gateway_type");
  const number = useFilter<string>("transaction_no");
  const buyer = useFilter<string>("created_by"); // the page of a user links here
  const query = {
    status: status.value || undefined,
    refund_status: refund.value || undefined,
    gateway_type: vendor.value || undefined,
    transaction_no: number.value || undefined,
    created_by: Number(buyer.value) || undefined,
  };
  const filtered = Object.values(query).some((value) => value !== undefined);

  const settings = (
    <a class="button" href={link("settings", "payments")}>
      {t("settings")}
    </a>
  );

  return (
    <Page title={common("orders")} actions={settings}>
      <div class="row filters" role="search">
        <Search label={t("numbers")} filter={number} />
        <Choice label={common("status")} values={["success", "pending"]} filter={status} />
        <Choice label={t("refund")} values={["complete", "partial", "failed"]} filter={refund} />
        <Choice label={t("vendor")} values={["chatpay", "altpay"]} words={gatewayWords} filter={vendor} />
        {buyer.value && (
          <button type="button" onClick={() => (buyer.value = "")}>
            {`${common("user")} ${buyer.value} ×`}
          </button>
        )}
        <Views list="orders" />
      </div>
      <OrderList query={query} none={<None filtered={filtered} />} />
    </Page>
  );
}

/** Lists orders. A number that no order has may be the provider's. */
async function find(query: Query) {
  const found = await ask(api.GET("/hserve/v2.2/idp/pay/order/", { params: { query } }));
  if (!query.transaction_no || found.objects.length > 0) return found;
  const byTrade = { ...query, transaction_no: undefined, trade_no: query.transaction_no };
  return ask(api.GET("/hserve/v2.2/idp/pay/order/", { params: { query: byTrade } }));
}

/** The orders that match filters, the newest first. */
export function OrderList({ query, none }: { query: Query; none: preact.ComponentChild }) {
  const orders = usePages(PAGE, (limit) => find({ ...query, limit }), [place.value, JSON.stringify(query)]);
  const hrefOf = (order: Order) => link("orders", order.transaction_no);
  return (
    <LoadedList
      label={common("orders")}
      from={orders}
      none={none}
      rowKey={(order) => order.id}
      href={hrefOf}
      columns={[
        { label: t("number"), by: (order) => order.transaction_no, cell: (order) => <a class="clip" href={hrefOf(order)}>{order.transaction_no}</a> },
        { label: t("item"), by: (order) => order.merchandise_description, cell: (order) => <bdi class="clip">{order.merchandise_description || "–"}</bdi> },
        { label: common("amount"), by: (order) => order.total_cost, numeric: true, cell: (order) => order.total_cost.toFixed(2) },
        { label: common("status"), by: (order) => order.status, cell: (order) => <OrderStatus order={order} /> },
        { label: common("created"), by: (order) => order.created_at, cell: (order) => <Ago at={order.created_at} /> },
        { label: t("paid"), by: (order) => order.paid_at, cell: (order) => <Ago at={order.paid_at} /> },
      ]}
    />
  );
}

function None({ filtered }: { filtered: boolean }) {
  if (filtered) return <p class="quiet">{t("noneLike")}</p>;
  return (
    <Empty
      title={t("none")}
      curl={madeUp()}
      action={
        <a class="button" href={link("settings", "payments")}>
          {t("settings")}
        </a>
      }
    >
      <p>{t("teach")}</p>
      {madeUp() && <p class="quiet">{t("simulate")}</p>}
    </Empty>
  );
}

/** On a laptop, whose vendors are made up, the command that tells the platform of a payment. */
function madeUp(): string | undefined {
  if (!session.value?.features.inbox_url || !inProduction.value) return undefined;
  const order = { gateway_type: "chatpay", status: "success", transaction_no: "order-1", trade_no: "4200001", total_cost: 34.5 };
  const detail = { miniapp: place.value?.app, ...order, merchandise_description: "Monstera" };
  return `curl --json '${JSON.stringify({ "detail-type": "payment", detail })}' ${location.origin}/_local/events`;
}
