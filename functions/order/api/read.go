package api

import (
	"encoding/json"
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/order"
)

// orderView is the contract's payment order, open API list result.
type orderView struct {
	ID                     int64          `json:"id"`
	CreatedAt              int64          `json:"created_at"`
	UpdatedAt              int64          `json:"updated_at"`
	PaidAt                 *int64         `json:"paid_at"`
	Status                 string         `json:"status"`
	RefundStatus           *string        `json:"refund_status"`
	TradeNo                string         `json:"trade_no"`
	TransactionNo          string         `json:"transaction_no"`
	MerchandiseDescription string         `json:"merchandise_description"`
	MerchandiseRecordID    *string        `json:"merchandise_record_id"`
	MerchandiseSchemaID    *int64         `json:"merchandise_schema_id"`
	MerchandiseSnapshot    map[string]any `json:"merchandise_snapshot"`
	TotalCost              json.Number    `json:"total_cost"`
	IPAddress              string         `json:"ip_address"`
	CreatedByID            *int64         `json:"created_by_id"`
	GatewayExtraInfo       map[string]any `json:"gateway_extra_info"`
}

// show is an order as the open API shows it: gateway_extra_info is only filled for chatpay.
func show(o order.Order) orderView {
	v := orderView{
		ID: int64(o.ID), CreatedAt: o.CreatedAt.Unix(), UpdatedAt: o.UpdatedAt.Unix(), Status: string(o.Status),
		RefundStatus: given(string(o.Refund)), TradeNo: o.TradeNo, TransactionNo: o.TransactionNo,
		MerchandiseDescription: o.Description, MerchandiseRecordID: given(o.MerchandiseRecord),
		MerchandiseSchemaID: given(o.MerchandiseSchema), MerchandiseSnapshot: object(o.Snapshot),
		TotalCost: json.Number(o.Total.String()), IPAddress: o.IP, CreatedByID: given(o.CreatedBy),
		GatewayExtraInfo: map[string]any{},
	}
	if !o.PaidAt.IsZero() {
		paid := o.PaidAt.Unix()
		v.PaidAt = &paid
	}
	if o.Gateway == order.Chatpay {
		v.GatewayExtraInfo = object(o.Extra)
	}

	return v
}

// given is null for what an order does not have.
func given[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

func object(o map[string]any) map[string]any {
	if o == nil {
		return map[string]any{}
	}
	return o
}

// read serves GET /hserve/v2.2/idp/pay/order/:transaction_no/.
func (g *Group) read(w http.ResponseWriter, r *http.Request) error {
	o, err := g.Orders.ByTransactionNo(r.Context(), httpapi.ScopeOf(r), r.PathValue("transaction_no"))
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, show(o))
	return nil
}
