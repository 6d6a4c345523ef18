// Payment orders.

declare namespace BaaS {
  type RefundStatus = "complete" | "partial" | "failed" | "" | null;

  interface OrderFilters {
    id?: number;
    status?: "pending" | "success";
    refund_status?: "complete" | "partial" | "failed" | "";
    trade_no?: string;
    transaction_no?: string;
    gateway_type?: "chatpay" | "altpay";
    merchandise_record_id?: string;
    merchandise_schema_id?: number;
    created_by_id?: number;
    /** Unix seconds, like the next two. */
    created_at?: number;
    paid_at__gte?: number;
    paid_at__lte?: number;
    /** Default 20, at most 1,000. */
    limit?: number;
    offset?: number;
  }

  interface PaymentOrder {
    id: number;
    created_at: number;
    updated_at: number;
    /** null if the order is not paid. */
    paid_at: number | null;
    status: string;
    refund_status: RefundStatus;
    /** Order number of the vendor. */
    trade_no: string;
    /** Order number of the platform. */
    transaction_no: string;
    merchandise_description: string;
    merchandise_record_id: string | null;
    merchandise_schema_id: number | null;
    merchandise_snapshot: { [name: string]: any };
    /** Amount in units of the currency: 9.9 is ¥9.90. */
    total_cost: number;
    ip_address: string;
    created_by_id: number | null;
    gateway_extra_info: { [name: string]: any };
  }

  /** Identifies an order by one of its three numbers. */
  type OrderReference = { order_id: number } | { trade_no: string } | { transaction_no: string };
  interface Refund {
    id: number;
    refund_no: string;
    order_id: number;
    refund_amount: number;
    status: "succeed" | "failed";
    memo: string;
    /** Error message of the vendor. */
    error_msg: string;
  }

  class Order {
    /** Filters by id, created_by_id and times search the newest 20,000 orders; `meta.next` continues. */
    getOrderList(filters?: OrderFilters): Promise<Answer<Page<PaymentOrder>>>;
    /** The same. */
    find(filters?: OrderFilters): Promise<Answer<Page<PaymentOrder>>>;
    /**
     * Pays back; without refund_amount all that is left. What the vendor refuses does not reject: look at `status`.
     * An order that is not there or not paid rejects.
     */
    refund(options: OrderReference & { refund_amount?: number; memo?: string; refund_no?: string }): Promise<Answer<Refund>>;
    /** Rejects with 611. @deprecated mini programs pay */
    chatPay(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated mini programs pay */
    alt(...options: any[]): Promise<never>;
  }
  function getOrderList(filters?: OrderFilters): Promise<Answer<Page<PaymentOrder>>>;
}
