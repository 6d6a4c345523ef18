import { useRoute } from "preact-iso";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Copyable } from "~/ui/copy";
import { Fact } from "~/ui/facts";
import { Json } from "~/ui/json";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";
import { Fired } from "./fired";
import { OrderStatus } from "./orders";
import { Refunds } from "./refunds";

const t = texts({
  paid: ["Paid", "支付时间"],
  ipAddress: ["IP address", "地址"],
  snapshot: ["Item details", "商品快照"],
  item: ["Item", "商品"],
  gateway: ["Gateway", "支付方式"],
  tradeNo: ["Trade number", "交易号"],
  providerData: ["Provider data", "支付平台返回"],
});

/** The page of an order. */
export function OrderPage() {
  const { number = "" } = useRoute().params;
  const params = { path: { transaction_no: number } };
  const found = useLoad(() => ask(api.GET("/hserve/v2.2/idp/pay/order/{transaction_no}/", { params })), [number, place.value]);

  return (
    <Page title={number} crumbs={[{ label: common("orders"), href: link("orders") }]}>
      <Load from={found}>{(order) => <Details order={order} onChange={found.reload} />}</Load>
    </Page>
  );
}

function Details({ order, onChange }: { order: components["schemas"]["ClientOrder"]; onChange: () => Promise<void> }) {
  return (
    <>
      <dl class="facts">
        <Fact label={common("status")}><OrderStatus order={order} /></Fact>
        <Fact label={common("amount")}>{order.total_cost.toFixed(2)}</Fact>
        <Fact label={t("item")}><bdi>{order.merchandise_description || "–"}</bdi></Fact>
        <Fact label={t("gateway")}>{order.gateway_type}</Fact>
        <Fact label={t("tradeNo")}>{order.trade_no ? <Copyable text={order.trade_no} label={t("tradeNo")} /> : "–"}</Fact>
        <Fact label={common("user")}>{order.created_by_id ? <a href={link("users", order.created_by_id)}>{order.created_by_id}</a> : "–"}</Fact>
        <Fact label={common("created")}><Ago at={order.created_at} /></Fact>
        <Fact label={t("paid")}><Ago at={order.paid_at} /></Fact>
        <Fact label={common("updated")}><Ago at={order.updated_at} /></Fact>
        <Fact label={t("ipAddress")}>{order.ip_address || "–"}</Fact>
      </dl>
      <Refunds order={order} onChange={onChange} />
      {order.trade_no && <Fired tradeNo={order.trade_no} />}
      <Part title={t("snapshot")} value={order.merchandise_snapshot} />
      <Part title={t("providerData")} value={order.gateway_extra_info} />
    </>
  );
}

/** An object under its title; nothing where it is empty. */
function Part({ title, value }: { title: string; value: object | null | undefined }) {
  if (!value || Object.keys(value).length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <Json value={value} />
    </>
  );
}
