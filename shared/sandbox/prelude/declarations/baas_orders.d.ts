// Payment orders.
declare namespace BaaS {
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
    /** Unix seconds, as the next two. */
    created_at?: number;
    paid_at__gte?: number;
    paid_at__lte?: number;
    limit?: number;
    offset?: number;
  }

  /** Payment orders. */
  class Order {
    getOrderList(filters?: OrderFilters): Promise<Answer<Page>>;
    /** The same. */
    find(filters?: OrderFilters): Promise<Answer<Page>>;
    /** Rejects with 611, as chatPay and alt do. */
    refund(options: any): Promise<never>;
  }
  function getOrderList(filters?: OrderFilters): Promise<Answer<Page>>;
}
