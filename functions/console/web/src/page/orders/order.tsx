import { useRoute } from "preact-iso";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Copyable } from "~/ui/copy";
import { Json } from "~/ui/json";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";
import { Fired } from "./fired";
import { OrderStatus } from "./orders";
import { Refunds } from "./refunds";

const t = texts({
  amount: ["Amount", "金额"],
  created: ["Created", "创建时间"],
  orders: ["Orders", "订单"],
  paid: ["Paid", "支付时间"],
  ipAddress: ["IP address", "地址"],
  updated: ["Updated", "修改时间"],
  snapshot: ["Item details", "商品快照"],
  status: ["Status", "状态"],
  item: ["Item", "商品"],
  gateway: ["Gateway", "支付方式"],
  tradeNo: ["Trade number", "交易号"],
  user: ["User", "用户"],
  providerData: ["Provider data", "支付平台返回"],
});

/** The page of an order. */
export function OrderPage() {
  const { number = "" } = useRoute().params;
  const params = { path: { transaction_no: number } };
  const found = useLoad(() => ask(api.GET("/hserve/v2.2/idp/pay/order/{transaction_no}/", { params })), [number, place.value]);

  return (
    <Page title={number} crumbs={[{ label: t("orders"), href: link("orders") }]}>
      <Load from={found}>{(order) => <Details order={order} onChange={found.reload} />}</Load>
    </Page>
  );
}

function Details({ order, onChange }: { order: components["schemas"]["ClientOrder"]; onChange: () => Promise<void> }) {
  return (
    <>
      <dl class="facts">
        <dt>{t("status")}</dt>
        <dd>
          <OrderStatus order={order} />
        </dd>
        <dt>{t("amount")}</dt>
        <dd>{order.total_cost.toFixed(2)}</dd>
        <dt>{t("item")}</dt>
        <dd>
          <bdi>{order.merchandise_description || "–"}</bdi>
        </dd>
        <dt>{t("gateway")}</dt>
        <dd>{order.gateway_type}</dd>
        <dt>{t("tradeNo")}</dt>
        <dd>{order.trade_no ? <Copyable text={order.trade_no} label={t("tradeNo")} /> : "–"}</dd>
        <dt>{t("user")}</dt>
        <dd>{order.created_by_id ? <a href={link("users", order.created_by_id)}>{order.created_by_id}</a> : "–"}</dd>
        <dt>{t("created")}</dt>
        <dd>
          <Ago at={order.created_at} />
        </dd>
        <dt>{t("paid")}</dt>
        <dd>
          <Ago at={order.paid_at} />
        </dd>
        <dt>{t("updated")}</dt>
        <dd>
          <Ago at={order.updated_at} />
        </dd>
        <dt>{t("ipAddress")}</dt>
        <dd>{order.ip_address || "–"}</dd>
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
