package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/order"
)

// What the filters of endpoint 20 take; orders have more statuses and gateways than these.
var (
	listedStatuses = []order.Status{order.Pending, order.Success}
	listedGateways = []order.Gateway{order.Chatpay, order.Altpay}
)

// list serves endpoint 20.
func (g *Group) list(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	filter, err := readFilter(r.URL.Query())
	if err != nil {
		return err
	}

	found, err := g.Orders.List(r.Context(), httpapi.ScopeOf(r), filter, req)
	if err != nil {
		return err
	}
	httpapi.WriteList(w, r, req, found, show)
	return nil
}

// readFilter reads the filters. An empty value is "not given", but that of refund_status is "no refund" (D43).
func readFilter(query url.Values) (f order.Filter, err error) {
	f.TradeNo, f.TransactionNo = query.Get("trade_no"), query.Get("transaction_no")
	f.MerchandiseRecord = query.Get("merchandise_record_id")

	if f.Status, err = oneOf(query, "status", listedStatuses); err != nil {
		return f, err
	}
	if f.Gateway, err = oneOf(query, "gateway_type", listedGateways); err != nil {
		return f, err
	}
	if query.Has("refund_status") {
		refund, err := oneOf(query, "refund_status", order.Refunds[1:])
		if err != nil {
			return f, err
		}
		f.Refund = &refund
	}

	f.MerchandiseSchema, err = positive(query, "merchandise_schema_id")
	return f, err
}

// oneOf reads a parameter that takes certain words, "" when it is empty or absent.
func oneOf[T ~string](query url.Values, name string, words []T) (T, error) {
	word := T(query.Get(name))
	if word != "" && !slices.Contains(words, word) {
		texts := make([]string, len(words))
		for i, w := range words {
			texts[i] = string(w)
		}
		return "", errs.Invalid("%s must be %s", name, strings.Join(texts, ", ")+" or empty")
	}
	return word, nil
}
